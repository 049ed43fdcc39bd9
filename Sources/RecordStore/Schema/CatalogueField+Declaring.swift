// Changes in place, since a field that is copied to be changed costs more than the change.
extension CatalogueField {
  /// Declares it under a name; another one that it had is remembered where `keepsName`.
  mutating func declare(_ name: String, isOptional: Bool, keepsName: Bool) {
    if self.name != name {
      if keepsName { previousNames.append(self.name) }
      self.name = name
    }
    self.isOptional = isOptional
    isDeclared = true
  }

  /// Takes what an attribute says beside name and type; of two defaults the one that was there first.
  mutating func take(_ attribute: AttributeDefinition, firstDefault: FieldValue?) {
    defaultValue = attribute.storedDefault.map { firstDefault ?? $0 }
    preservesValueOnDeletion = attribute.preservesValueOnDeletion
    isStoredExternally = attribute.isStoredExternally
    isSparse = attribute.isSparse
    destination = nil
  }
}

extension AttributeDefinition {
  /// The default as a catalogue has it. Null is none: the catalogue is stored as JSON, which cannot tell them apart, so
  /// a process that has made the field and one that has read it would differ.
  var storedDefault: FieldValue? { defaultValue == .null ? nil : defaultValue }
}
