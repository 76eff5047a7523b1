enum PersistencePlaceholder {}
