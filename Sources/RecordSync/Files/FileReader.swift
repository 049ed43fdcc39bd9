/// Reads what ``FileWriter`` wrote. Every length is compared with what is left before memory is taken.
struct FileReader {
  private let bytes: ArraySlice<UInt8>
  private var position: Int
  /// Names the thing that is read, for messages.
  private let subject: String

  init(_ bytes: ArraySlice<UInt8>, subject: String) {
    self.bytes = bytes
    self.subject = subject
    position = bytes.startIndex
  }

  init(_ bytes: [UInt8], subject: String) { self.init(bytes[...], subject: subject) }

  var remaining: Int { bytes.endIndex - position }

  var damage: SyncError {
    SyncError(.damagedFile, "\(subject) is incomplete or damaged; it is taken when a whole copy has arrived")
  }

  /// Leaves out what is left.
  mutating func skip() { position = bytes.endIndex }

  mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
    guard count >= 0, count <= remaining else { throw damage }
    defer { position += count }
    return bytes[position..<position + count]
  }

  mutating func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) throws -> Integer {
    let size = MemoryLayout<Integer>.size
    guard size <= remaining else { throw damage }
    defer { position += size }
    var value: Integer = 0
    for offset in (0..<size).reversed() { value = value << 8 | Integer(truncatingIfNeeded: bytes[position + offset]) }
    return value
  }

  mutating func counted(limit: Int) throws -> ArraySlice<UInt8> {
    let count = Int(try integer(UInt32.self))
    guard count <= limit else { throw damage }
    return try take(count)
  }

  mutating func text(limit: Int) throws -> String {
    guard let text = String(validating: try counted(limit: limit), as: UTF8.self) else { throw damage }
    return text
  }

  func end() throws {
    guard remaining == 0 else { throw damage }
  }
}
