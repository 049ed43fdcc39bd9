import RecordStore
import StoreInspection

/// A column of an entity's records in a text file.
enum TextColumn {
  case field(CatalogueField)
  /// Ids of related records that no field of this entity holds.
  case links(CatalogueRelationship)

  /// All that is needed to make the records again: fields, and each link on one of its sides.
  static func all(of entity: CatalogueEntity, in catalogue: Catalogue) -> [TextColumn] {
    let fields = entity.fields.filter { $0.isDeclared && !$0.isHidden }.map { TextColumn.field($0) }
    return fields
      + entity.relationships.compactMap { relationship in
        switch relationship.storage {
        case .join(_, 0, _): return .links(relationship)
        case .inverse(let holder, let ordinal):
          return catalogue.entities[holder].fields[ordinal].isHidden ? .links(relationship) : nil
        case .join, .reference: return nil
        }
      }
  }

  var name: String {
    switch self {
    case .field(let field): field.name
    case .links(let relationship): relationship.name
    }
  }

  func json(of record: RecordImage, in snapshot: borrowing StoreSnapshot) throws -> JSON {
    switch self {
    case .field(let field): return record.value(of: field).programJSON
    case .links(let relationship):
      let ids = try snapshot.members(of: record.id, record.entity, relationship: relationship)
      return .array(ids.map { .string($0.description) })
    }
  }

  /// A value in a field of CSV; nil for null. Lists of ids are separated by spaces, and a `Codable` value is its JSON:
  /// without quotes the text "5" would come back as a number, and a list of texts as one text.
  func csvText(of json: JSON) -> String? {
    switch (self, json) {
    case (_, .null): nil
    case (.links, .array(let ids)): ids.compactMap(\.stringValue).joined(separator: " ")
    case (.field(let field), .string(let text)) where field.type != .composite: text
    default: json.description
    }
  }
}

extension CatalogueField {
  /// The other side of a to-many without an inverse, which no query shows.
  fileprivate var isHidden: Bool { name.hasPrefix("~") }
}
