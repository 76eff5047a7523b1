enum AccessPlaceholder {}
