import Foundation
import RecordStore

/// Where a value stands in the order of a field: no value first, then all that compare, then not-a-number.
enum SortBand: Int, Comparable {
  case null, values, notANumber

  init(_ value: FieldValue) {
    self = value == .null ? .null : SortBand.isNotANumber(value) ? .notANumber : .values
  }

  static func < (left: SortBand, right: SortBand) -> Bool { left.rawValue < right.rawValue }

  private static func isNotANumber(_ value: FieldValue) -> Bool {
    switch value {
    case .double(let number): number.isNaN
    case .decimal(let number): number.isNaN
    case .date(let date): date.timeIntervalSinceReferenceDate.isNaN
    default: false
    }
  }

  /// The condition that a value lies in the band; nil where the type has no such value. An index serves the first, and
  /// the second of most types.
  func filter(_ path: FieldPath, _ type: FieldType) -> RecordFilter? {
    switch self {
    case .null: return .compare(path, .equal, .null)
    case .values:
      if let least = type.least { return .compare(path, .greaterOrEqual, least) }
      guard let middle = type.middle else { return .not(.compare(path, .equal, .null)) }
      return .or([.compare(path, .greaterOrEqual, middle), .compare(path, .less, middle)])
    case .notANumber:
      guard let middle = type.middle else { return nil }
      return .and([
        .not(.compare(path, .equal, .null)), .not(.compare(path, .greaterOrEqual, middle)),
        .not(.compare(path, .less, middle)),
      ])
    }
  }
}

extension FieldType {
  /// The least value that compares; nil where there is none, or nothing is sorted by the type.
  fileprivate var least: FieldValue? {
    switch self {
    case .bool: .bool(false)
    case .int: .int(.min)
    case .uint: .uint(0)
    case .double: .double(-.infinity)
    case .string: .string("")
    case .url: .url("")
    case .date: .date(Date(timeIntervalSinceReferenceDate: -.infinity))
    case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    case .data: .data(Data())
    case .decimal, .composite, .reference: nil
    }
  }

  /// A value that every number is compared with, of the types that have not-a-number.
  fileprivate var middle: FieldValue? {
    switch self {
    case .double: .double(0)
    case .decimal: .decimal(0)
    case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
    default: nil
    }
  }
}
