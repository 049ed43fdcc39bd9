/// Makes bytes smaller in the LZ4 block format (lz4_Block_format.md of the LZ4 project), which any LZ4 decoder reads.
///
/// Written here because a file that got lost is made again with the same bytes and name: the same contents must give
/// the same bytes for ever, on every system, which no system's compression library promises. Beside
/// zlib's first level it costs little in size, as change sets are short texts, numbers and random ids, and takes half
/// the time.
///
/// ```
/// sequence: token (upper half: literals, lower half: match length - 4) · [more length] · literals
///           · offset u16, little-endian · [more length]
/// ```
/// A half of 15 goes on in bytes that are added up, the last of them below 255. The last sequence has literals only.
///
/// A pointer file: both directions walk over lent memory, and check each step against its end.
enum BlockPacker {
  private static let tableBits = 14
  private static let window = 0xFFFF
  private static let leastMatch = 4
  /// The format keeps the last five bytes literal, and begins no match in the last twelve.
  private static let literalEnd = 5
  private static let matchlessEnd = 12

  /// Nil where the packed bytes would not be fewer. Greedy: the last place that begins alike is the match.
  static func pack(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    guard bytes.count > matchlessEnd else { return nil }
    let packed = bytes.withUnsafeBytes { source in
      withUnsafeTemporaryAllocation(of: Int32.self, capacity: 1 << tableBits) { places in
        // The last place of each hash in the block; below zero: none.
        places.initialize(repeating: -1)
        return [UInt8](unsafeUninitializedCapacity: source.count) { room, count in
          var output = Output(room: UnsafeMutableRawBufferPointer(room))
          count = pack(source, places, into: &output) ? output.count : 0
        }
      }
    }
    return packed.isEmpty || packed.count >= bytes.count ? nil : packed
  }

  private static func pack(
    _ source: UnsafeRawBufferPointer, _ places: UnsafeMutableBufferPointer<Int32>, into output: inout Output
  ) -> Bool {
    let end = source.count - matchlessEnd
    var anchor = 0
    var place = 0
    while place < end {
      let slot = hash(source, place)
      var match = Int(places[slot])
      places[slot] = Int32(truncatingIfNeeded: place)
      guard match >= 0, place - match <= window, load(source, match) == load(source, place) else {
        place += 1
        continue
      }
      var length = leastMatch + alike(source, match + leastMatch, place + leastMatch, source.count - literalEnd)
      while place > anchor, match > 0, source[place - 1] == source[match - 1] {
        (place, match, length) = (place - 1, match - 1, length + 1)
      }
      let literals = UnsafeRawBufferPointer(rebasing: source[anchor..<place])
      guard output.put(literals, offset: place - match, length: length) else { return false }
      place += length
      anchor = place
      if place - 2 < end { places[hash(source, place - 2)] = Int32(truncatingIfNeeded: place - 2) }
    }
    return output.put(UnsafeRawBufferPointer(rebasing: source[anchor...]), offset: 0, length: 0)
  }

  /// How many bytes are the same from two places on, where the later one must end before `end`.
  private static func alike(_ source: UnsafeRawBufferPointer, _ match: Int, _ place: Int, _ end: Int) -> Int {
    var length = 0
    while place + length + 8 <= end {
      let difference = word(source, match + length) ^ word(source, place + length)
      if difference != 0 { return length + difference.trailingZeroBitCount / 8 }
      length += 8
    }
    while place + length < end, source[match + length] == source[place + length] { length += 1 }
    return length
  }

  private static func word(_ source: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
    UInt64(littleEndian: source.loadUnaligned(fromByteOffset: place, as: UInt64.self))
  }

  private static func load(_ source: UnsafeRawBufferPointer, _ place: Int) -> UInt32 {
    source.loadUnaligned(fromByteOffset: place, as: UInt32.self)
  }

  /// Hashes five bytes: beginnings of four are often alike and lead nowhere.
  private static func hash(_ source: UnsafeRawBufferPointer, _ place: Int) -> Int {
    Int(truncatingIfNeeded: ((word(source, place) << 24) &* 889_523_592_379) >> UInt64(64 - tableBits))
  }
}

extension BlockPacker {
  private struct Output {
    let room: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(room: UnsafeMutableRawBufferPointer) { self.room = room }

    /// A sequence; one without a match is the last. False, with nothing written, if it does not fit.
    mutating func put(_ literals: UnsafeRawBufferPointer, offset: Int, length: Int) -> Bool {
      guard count + literals.count + literals.count / 255 + length / 255 + 5 <= room.count else { return false }
      let matched = length == 0 ? 0 : length - leastMatch
      write(UInt8(min(literals.count, 15) << 4 | min(matched, 15)))
      writeRest(of: literals.count)
      UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(from: literals)
      count += literals.count
      guard length > 0 else { return true }
      write(UInt8(truncatingIfNeeded: offset))
      write(UInt8(truncatingIfNeeded: offset >> 8))
      writeRest(of: matched)
      return true
    }

    private mutating func write(_ byte: UInt8) {
      room[count] = byte
      count += 1
    }

    private mutating func writeRest(of length: Int) {
      guard length >= 15 else { return }
      var rest = length - 15
      while rest >= 255 {
        write(255)
        rest -= 255
      }
      write(UInt8(rest))
    }
  }
}

// The way back.
extension BlockPacker {
  /// Whether so many packed bytes can be unpacked to `byteCount`: each says at most 255. Asked before memory is taken
  /// for what a header promises.
  static func couldHold(_ byteCount: UInt64, in packedByteCount: UInt64) -> Bool {
    byteCount / 255 <= packedByteCount
  }

  /// As ``unpack(_:byteCount:)``, into memory of just so many bytes; false for anything else.
  static func unpack(_ packed: ArraySlice<UInt8>, into room: UnsafeMutableRawBufferPointer) -> Bool {
    packed.withUnsafeBytes { unpack($0, into: room) }
  }

  /// Unpacks a block; nil for anything that is not one of exactly `byteCount` bytes. Takes no more memory than
  /// that, whatever the packed bytes say.
  static func unpack(_ packed: ArraySlice<UInt8>, byteCount: Int) -> [UInt8]? {
    guard byteCount > 0 else { return nil }
    let bytes = packed.withUnsafeBytes { source in
      [UInt8](unsafeUninitializedCapacity: byteCount) { room, count in
        let room = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: room[..<byteCount]))
        count = unpack(source, into: room) ? byteCount : 0
      }
    }
    return bytes.count == byteCount ? bytes : nil
  }

  /// True if `source` is used up just when `room` is full.
  private static func unpack(_ source: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Bool {
    var read = 0
    var written = 0
    while read < source.count {
      let token = Int(source[read])
      read += 1
      guard let literals = length(token >> 4, source, &read), literals <= source.count - read,
        literals <= room.count - written
      else { return false }
      UnsafeMutableRawBufferPointer(rebasing: room[written...])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[read..<read + literals]))
      (read, written) = (read + literals, written + literals)
      if read == source.count { return written == room.count }
      guard source.count - read >= 2 else { return false }
      let offset = Int(source[read]) | Int(source[read + 1]) << 8
      read += 2
      guard let matched = length(token & 15, source, &read), offset > 0, offset <= written,
        matched + leastMatch <= room.count - written
      else { return false }
      copy(room, from: written - offset, to: written, matched + leastMatch)
      written += matched + leastMatch
    }
    return false
  }

  private static func length(_ half: Int, _ source: UnsafeRawBufferPointer, _ read: inout Int) -> Int? {
    guard half == 15 else { return half }
    var length = half
    while read < source.count {
      let byte = Int(source[read])
      read += 1
      length += byte
      if byte < 255 { return length }
    }
    return nil
  }

  /// A match may reach into what it makes itself: then its bytes repeat.
  private static func copy(_ room: UnsafeMutableRawBufferPointer, from start: Int, to end: Int, _ count: Int) {
    if end - start >= count {
      UnsafeMutableRawBufferPointer(rebasing: room[end...])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: room[start..<start + count]))
    } else {
      for index in 0..<count { room[end + index] = room[start + index] }
    }
  }
}
