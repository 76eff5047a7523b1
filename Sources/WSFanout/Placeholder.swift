enum WSFanoutPlaceholder {}
