enum EventIngestPlaceholder {}
