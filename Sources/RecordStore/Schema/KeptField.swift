/// A field under which values are kept that came from a device where a field of the same name has another type.
///
/// Its name is the field's, a tilde and the type: `age~int`. It is never declared, so no rule or index applies to it;
/// its values keep their stamps and are passed on. It turns into the field itself as soon as a schema gives the field
/// this type. Hidden references of relationships begin with a tilde and are none.
package struct KeptField: Hashable, Sendable {
  package let field: String
  package let type: FieldType

  package init(field: String, type: FieldType) {
    self.field = field
    self.type = type
  }

  /// Nil if the field of this name and type is not one of these.
  package init?(_ known: CatalogueField) {
    guard let tilde = known.name.lastIndex(of: "~"), tilde > known.name.startIndex,
      known.name[known.name.index(after: tilde)...] == "\(known.type)"
    else { return nil }
    field = String(known.name[..<tilde])
    type = known.type
  }

  package var name: String { "\(field)~\(type)" }
}

extension CatalogueEntity {
  /// The field of this name and type, or the one under which such values are kept.
  package func field(named name: String, holding type: FieldType) -> CatalogueField? {
    if let known = field(named: name), known.type == type { return known }
    return field(named: KeptField(field: name, type: type).name).flatMap { $0.type == type ? $0 : nil }
  }

  /// Makes the values that were kept under a type those of the field, when a schema declares it so. What the field held
  /// until now is kept in turn. False if there is nothing of that type, and the field is declared with another one.
  mutating func exchange(_ name: String, for type: FieldType) -> Bool {
    guard let known = field(named: name), known.type != type else { return true }
    let kept = field(named: KeptField(field: name, type: type).name)
    guard kept != nil || !known.isDeclared else { return false }
    fields[known.ordinal].name = KeptField(field: name, type: known.type).name
    fields[known.ordinal].isDeclared = false
    fields[known.ordinal].isOptional = true
    if let kept { fields[kept.ordinal].name = name }
    return true
  }
}
