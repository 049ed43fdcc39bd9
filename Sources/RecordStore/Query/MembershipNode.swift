import Foundation
import LMDB

/// A field against many constants, by their keys: equal values have equal keys.
final class MembershipNode: FilterNode {
  let path: PathReader
  let keys: Set<[UInt8]>
  private var encoder = KeyEncoder()
  /// Memory for the key to look for.
  private var key: [UInt8] = []

  init(_ path: PathReader, _ values: [FieldValue]) {
    self.path = path
    keys = Set(
      values.lazy.filter { !$0.isNotANumber }.map { value in
        var encoder = KeyEncoder()
        encoder.append(value)
        return encoder.take()
      })
  }

  override func passes(_ row: QueryRow) throws -> Bool {
    encoder.removeAll()
    encoder.append(encoded: try path.bytes(in: row), type: path.type)
    key.removeAll(keepingCapacity: true)
    encoder.withRawBytes { key.append(contentsOf: $0.buffer) }
    return keys.contains(key)
  }
}

extension FieldValue {
  /// Equal to nothing, itself included.
  package var isNotANumber: Bool {
    switch self {
    case .double(let value): value.isNaN
    case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
    case .decimal(let value): value.isNaN
    default: false
    }
  }
}
