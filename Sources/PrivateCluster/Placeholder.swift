enum PrivateClusterPlaceholder {}
