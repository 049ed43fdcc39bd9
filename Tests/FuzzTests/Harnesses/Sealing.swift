import CChecksum
import Crypto

@testable import RecordSync

/// Right checksums for wrong bytes. A reader that compares a checksum first would refuse every mutation there.
///
/// Inputs keep the form of their files, so that each golden file is a seed, and each crashing input is a file.
extension [UInt8] {
  func checksum(of range: Range<Int>, after seed: UInt32 = 0) -> UInt32 {
    self[range].withUnsafeBytes { tandem_crc32c(seed, $0.baseAddress, $0.count) }
  }

  /// Overwrites the four bytes at `offset`, if they are there.
  mutating func put(_ checksum: UInt32, at offset: Int) {
    guard offset >= 0, offset + 4 <= count else { return }
    for place in 0..<4 { self[offset + place] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * place)) }
  }

  func integer(at offset: Int) -> Int? {
    guard offset >= 0, offset + 4 <= count else { return nil }
    return (0..<4).reduce(0) { $0 | Int(self[offset + $1]) << (8 * $1) }
  }

  /// Of a transaction or an entry of history: format and flags, the checksum of all but itself, the rest.
  var sealedAfterFlags: [UInt8] {
    guard count >= 6 else { return self }
    var sealed = self
    sealed.put(checksum(of: 6..<count, after: checksum(of: 0..<2)), at: 2)
    return sealed
  }

  /// Of an entry of history: from format 3 on it begins with a list that has a checksum of its own.
  var sealedHistoryEntry: [UInt8] {
    guard let format = first, format >= 3, let count = integer(at: 10), count <= (self.count - 14) / 26 else {
      return sealedAfterFlags
    }
    var sealed = self
    sealed.put(checksum(of: 10..<14 + 26 * count), at: 6)
    return sealed.sealedAfterFlags
  }

  /// Of a file that ends in the checksum of all before.
  var sealedAtEnd: [UInt8] {
    guard count >= 4 else { return self }
    var sealed = self
    sealed.put(checksum(of: 0..<count - 4), at: count - 4)
    return sealed
  }

  /// Of a change set: header, blocks, and the trailer, which has the hash of all before.
  var sealedChangeSet: [UInt8] {
    var sealed = self
    guard let headerBytes = integer(at: 12), (5...count).contains(headerBytes) else { return self }
    sealed.put(checksum(of: 0..<headerBytes - 4), at: headerBytes - 4)
    let trailer = count - 40
    var place = headerBytes
    while let length = integer(at: place), length <= trailer - place - 8 {
      sealed.put(checksum(of: place + 8..<place + 8 + length), at: place + 4)
      place += 8 + length
    }
    guard trailer >= headerBytes else { return sealed }
    sealed.replaceSubrange(trailer..<trailer + 32, with: Array(SHA256.hash(data: sealed[..<trailer])))
    return sealed
  }

  /// Of a snapshot's chunk: after the contents, whose length stands before them, come checksum and hash of all before.
  var sealedChunk: (file: [UInt8], contents: ArraySlice<UInt8>) {
    // From format 2 on the length of the contents stands before that of what lies there.
    let isPacked = count > 9 && self[8] > 1
    let start = isPacked ? 38 : 34
    guard let length = integer(at: start - 4), count >= start + 36, length <= count - start - 36 else {
      return (self, [])
    }
    var sealed = Array(prefix(start + length + 36))
    sealed.put(checksum(of: 0..<start + length), at: start + length)
    let hash = SHA256.hash(data: sealed[..<(start + length + 4)])
    sealed.replaceSubrange((start + length + 4)..., with: Array(hash))
    let stored = self[start..<start + length]
    guard isPacked, let held = integer(at: 30), held > length, held <= SnapshotChunk.maximumContentBytes else {
      return (sealed, stored)
    }
    return (sealed, BlockPacker.unpack(stored, byteCount: held)?[...] ?? stored)
  }
}
