/// Cuts the payload of a snapshot into chunks while it is made; holds one of them, and one item.
struct SnapshotCutter {
  /// Gets each chunk when it is full.
  typealias Take = (_ contents: ArraySlice<UInt8>, _ index: Int) throws -> Void

  private var bytes: [UInt8] = []
  private var count = 0

  mutating func put(_ item: [UInt8], _ take: Take) throws {
    bytes += item
    guard bytes.count >= SnapshotChunk.maximumContentBytes else { return }
    var start = 0
    while bytes.count - start >= SnapshotChunk.maximumContentBytes {
      try cut(bytes[start..<start + SnapshotChunk.maximumContentBytes], take)
      start += SnapshotChunk.maximumContentBytes
    }
    bytes.removeFirst(start)
  }

  /// The last chunk, if there is one.
  mutating func end(_ take: Take) throws {
    if !bytes.isEmpty { try cut(bytes[...], take) }
    bytes = []
  }

  private mutating func cut(_ contents: ArraySlice<UInt8>, _ take: Take) throws {
    try take(contents, count)
    count += 1
  }
}

/// Reads the items of a payload that comes chunk by chunk; an item may reach from one into the next.
struct SnapshotItems {
  private static let headBytes = 5
  private var bytes: [UInt8] = []
  /// Names the snapshot, for messages.
  private let subject: String

  init(subject: String) { self.subject = subject }

  /// `body` gets the kind and the bytes of each item that is whole now.
  mutating func add(_ contents: ArraySlice<UInt8>, _ body: (UInt8, inout FileReader) throws -> Void) throws {
    bytes += contents
    var start = 0
    while bytes.count - start >= Self.headBytes {
      var head = FileReader(bytes[start..<start + Self.headBytes], subject: subject)
      let kind: UInt8 = try head.integer()
      let end = start + Self.headBytes + Int(try head.integer(UInt32.self))
      guard end <= bytes.count else { break }
      var item = FileReader(bytes[start + Self.headBytes..<end], subject: subject)
      try body(kind, &item)
      try item.end()
      start = end
    }
    bytes.removeFirst(start)
  }

  /// Throws `damagedFile` where the payload ends within an item.
  func end() throws {
    guard bytes.isEmpty else { throw FileReader(bytes, subject: subject).damage }
  }
}
