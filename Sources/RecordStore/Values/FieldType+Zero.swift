import Foundation

extension FieldType {
  /// The value of a required field that was never written and has no default; a reference has none.
  package var zero: FieldValue {
    switch self {
    case .bool: .bool(false)
    case .int: .int(0)
    case .uint: .uint(0)
    case .double: .double(0)
    case .decimal: .decimal(0)
    case .string: .string("")
    case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
    case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    case .data: .data(Data())
    case .url: .url("")
    case .composite: .composite(Data())
    case .reference: .null
    }
  }
}
