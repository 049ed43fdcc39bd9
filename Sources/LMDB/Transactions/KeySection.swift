/// A part of a tree that is used like a database of its own: its keys begin with the same two bytes.
///
/// A commit writes every page from a changed leaf to the root. Trees that are changed together cost a root each; as
/// sections of one tree they share it.
///
/// Nobody sees the two bytes: keys are given and found without them, so they may be two bytes shorter than others.
/// Appending fills pages as in a database only in the section that is the last of its tree. A section has no
/// statistics, and ``TreeSearch`` does not read it.
public struct KeySection: Hashable, Sendable {
  @usableFromInline static let byteCount = 2

  /// Sections stand in the order of their numbers.
  public let number: UInt16

  /// A section by its number; any number is one.
  public init(number: UInt16) { self.number = number }

  /// The key as it stands in the tree, lent to `body`.
  @inlinable
  func withKey<Result>(_ key: RawBytes, _ body: (RawBytes) throws -> Result) rethrows -> Result {
    // Memory of the stack, which costs nothing; a pointer, to lay both parts side by side.
    try withUnsafeTemporaryAllocation(byteCount: Self.byteCount + key.count, alignment: 1) { room in
      room.storeBytes(of: number.bigEndian, as: UInt16.self)
      UnsafeMutableRawBufferPointer(rebasing: room[Self.byteCount...]).copyMemory(from: key.buffer)
      return try body(RawBytes(UnsafeRawBufferPointer(room)))
    }
  }

  /// The part of a tree's key that is seen; nil if it is another section's.
  @inlinable
  func key(of whole: RawBytes) -> RawBytes? {
    guard whole.count >= Self.byteCount, whole.load(at: 0, as: UInt16.self).byteSwapped == number else { return nil }
    return whole.slice(Self.byteCount..<whole.count)
  }
}

extension Database {
  /// A section of this database.
  public func section(_ number: UInt16) -> Database {
    Database(handle: handle, name: name, section: KeySection(number: number))
  }

  /// A key as it stands in the tree, lent to `body`.
  @inlinable @inline(__always)
  func withKey<Result>(_ key: RawBytes, _ body: (RawBytes) throws -> Result) rethrows -> Result {
    guard let section else { return try body(key) }
    return try section.withKey(key, body)
  }
}
