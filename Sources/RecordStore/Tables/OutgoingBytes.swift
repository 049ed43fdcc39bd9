import LMDB

/// The word of a save for other devices, as ``TransactionCodec`` encodes it.
///
/// The word of a large save is as large as its records, and goes into pages of the store that are as large again. So it
/// lies in parts, each of which goes once it is copied there.
package struct OutgoingBytes: Sendable {
  /// All of it, mostly.
  private var first: [UInt8]
  private var rest: [[UInt8]]
  package private(set) var count: Int

  /// The C library gives memory of so many bytes back to the system as soon as it is free, whatever was free before;
  /// less it may keep.
  static let partByteCount = 1 << 25

  /// Nothing, as other devices are told of a merge.
  package static let none = OutgoingBytes([])

  package init(_ first: [UInt8], _ rest: [[UInt8]] = []) {
    (self.first, self.rest) = (first, rest)
    count = rest.reduce(first.count) { $0 + $1.count }
  }

  /// Writes all, and keeps nothing of it.
  mutating func drain(into writer: inout ByteWriter) {
    first.withUnsafeBytes { writer.write($0) }
    first = []
    for index in rest.indices {
      rest[index].withUnsafeBytes { writer.write($0) }
      rest[index] = []
    }
    self = .none
  }
}
