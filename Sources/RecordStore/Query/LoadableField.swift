import LMDB

/// A type whose payload is loaded by one instruction.
protocol LoadableField: Comparable {
  static func load(_ bytes: RawBytes) -> Self?
}

extension LoadableField where Self: FixedWidthInteger {
  @inline(__always)
  static func load(_ bytes: RawBytes) -> Self? {
    bytes.count == MemoryLayout<Self>.size ? bytes.load(at: 0, as: Self.self) : nil
  }
}

extension UInt8: LoadableField {}
extension Int64: LoadableField {}
extension UInt64: LoadableField {}
extension Double: LoadableField {
  @inline(__always)
  static func load(_ bytes: RawBytes) -> Double? { UInt64.load(bytes).map { Double(bitPattern: $0) } }
}
extension RecordID: LoadableField {
  @inline(__always)
  static func load(_ bytes: RawBytes) -> RecordID? { RecordID(bytes: bytes) }
}
