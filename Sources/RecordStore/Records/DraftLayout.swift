/// The knowledge of an entity's fields that writing a new record needs, taken apart once per catalogue: the loop over a
/// record's fields copies numbers and no descriptions.
package final class DraftLayout: Sendable, Hashable {
  package let entity: EntityNumber
  /// By ordinal: what writing asks of each field, in one place.
  let fields: [Field]
  /// By ordinal.
  let types: [FieldType]
  let isOptional: [Bool]
  let isDeclared: [Bool]
  /// See ``CatalogueField/valueWhenAbsent``.
  let absent: [FieldValue]
  /// See ``AttributeDefinition/isSparse``.
  let isSparse: [Bool]

  struct Field: Sendable {
    let type: FieldType
    let isOptional: Bool
    let isDeclared: Bool
    let isSparse: Bool
    /// Whether large values lie beside the store: drafts have none of them.
    let isStoredExternally: Bool
  }

  package init(_ entity: CatalogueEntity) {
    self.entity = entity.number
    types = entity.fields.map(\.type)
    isOptional = entity.fields.map(\.isOptional)
    isDeclared = entity.fields.map(\.isDeclared)
    absent = entity.fields.map(\.valueWhenAbsent)
    isSparse = entity.fields.map(\.isSparse)
    fields = entity.fields.map {
      Field(
        type: $0.type, isOptional: $0.isOptional, isDeclared: $0.isDeclared, isSparse: $0.isSparse,
        isStoredExternally: $0.isStoredExternally)
    }
  }

  var fieldCount: Int { types.count }

  package static func == (left: DraftLayout, right: DraftLayout) -> Bool {
    left === right
      || left.entity == right.entity && left.types == right.types && left.isOptional == right.isOptional
        && left.isDeclared == right.isDeclared && left.absent == right.absent
        && left.isSparse == right.isSparse
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(entity) }
}
