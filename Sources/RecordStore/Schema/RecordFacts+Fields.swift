extension RecordFacts {
  /// The value of a field that readers see if no reference dangles.
  func value(of field: CatalogueField) -> FieldValue {
    guard let value = register(at: field.ordinal)?.value else { return field.valueWhenAbsent }
    return value == .null && !field.isOptional ? field.valueWhenAbsent : value
  }
}
