enum ClientAPIPlaceholder {}
