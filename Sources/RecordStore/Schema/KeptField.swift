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
}
