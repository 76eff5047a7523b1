enum ListenerPlaceholder {}
