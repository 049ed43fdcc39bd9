import RecordStore
import StoreInspection

/// Values as the page shows them: a text, nothing, or a record that is led to. Long ones are cut; the record's own view
/// has them whole.
struct CellJSON {
  private static let longest = 300
  private var names = TargetNames(isWanted: true)

  mutating func cell(
    _ record: RecordImage, _ field: CatalogueField, in snapshot: borrowing StoreSnapshot
  ) throws -> JSON {
    if record.isMissing(field) { return .string(DisplayText.missingValue) }
    return try cell(record.value(of: field), field, in: snapshot)
  }

  mutating func cell(
    _ value: FieldValue, _ field: CatalogueField, in snapshot: borrowing StoreSnapshot
  ) throws -> JSON {
    switch value {
    case .null: return .null
    case .reference(let id):
      try names.note(value, field, in: snapshot)
      return target(id)
    case .string(let text), .url(let text): return .string(CellJSON.cut(text))
    case .date: return value.programJSON
    case .composite: return .string(CellJSON.cut(value.programJSON.description))
    default: return .string(DisplayText.value(value))
    }
  }

  mutating func link(_ id: RecordID, of destination: String, in snapshot: borrowing StoreSnapshot) throws -> JSON {
    try names.note(id, of: destination, in: snapshot)
    return target(id)
  }

  private func target(_ id: RecordID) -> JSON {
    ["id": .string(id.description), "name": names.name(of: id).map { .string($0) } ?? .null]
  }

  static func cut(_ text: String) -> String {
    text.unicodeScalars.count <= longest ? text : String(text.unicodeScalars.prefix(longest)) + "…"
  }
}
