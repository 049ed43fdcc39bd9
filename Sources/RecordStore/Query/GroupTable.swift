import LMDB

/// Numbers groups by the bytes of their keys, in the order in which they occur.
///
/// Open addressing over one buffer of keys: a row of a known group costs a hash and a comparison of bytes, and no
/// allocation. Hashes differ from run to run, so that nobody can prepare values that collide. A pointer file, for keys
/// are compared inside one buffer.
struct GroupTable {
  private var bytes: [UInt8] = []
  /// Where each group's key begins; one more, for the end.
  private var starts: [Int] = [0]
  /// Numbers of groups plus one; zero is free. At most half are taken.
  private var places: [Int32] = Array(repeating: 0, count: 64)
  private var hashes: [UInt64] = []
  private let seed = UInt64.random(in: .min ... .max)

  var count: Int { starts.count - 1 }

  func key(_ group: Int) -> ArraySlice<UInt8> { bytes[starts[group]..<starts[group + 1]] }

  /// The group of a key, and whether it is new.
  mutating func group(of key: RawBytes) -> (number: Int, isNew: Bool) {
    let hash = hash(key)
    let mask = places.count - 1
    var place = Int(truncatingIfNeeded: hash >> 32) & mask
    while places[place] != 0 {
      let number = Int(places[place]) - 1
      if hashes[number] == hash, holds(key, number) { return (number, false) }
      place = (place + 1) & mask
    }
    let number = count
    bytes.append(contentsOf: key.buffer)
    starts.append(bytes.count)
    hashes.append(hash)
    places[place] = Int32(number + 1)
    if 2 * (number + 1) > places.count { grow() }
    return (number, true)
  }

  private func holds(_ key: RawBytes, _ number: Int) -> Bool {
    let start = starts[number]
    guard starts[number + 1] - start == key.count else { return false }
    return bytes.withUnsafeBytes { RawBytes($0).slice(start..<start + key.count) == key }
  }

  private mutating func grow() {
    places = Array(repeating: 0, count: 2 * places.count)
    let mask = places.count - 1
    for (number, hash) in hashes.enumerated() {
      var place = Int(truncatingIfNeeded: hash >> 32) & mask
      while places[place] != 0 { place = (place + 1) & mask }
      places[place] = Int32(number + 1)
    }
  }

  private func hash(_ key: RawBytes) -> UInt64 {
    var hash = seed
    var offset = 0
    while offset + 8 <= key.count {
      hash = mix(hash, key.load(at: offset, as: UInt64.self))
      offset += 8
    }
    while offset < key.count {
      hash = mix(hash, UInt64(key.load(at: offset, as: UInt8.self)))
      offset += 1
    }
    return mix(hash, UInt64(truncatingIfNeeded: key.count))
  }

  /// Both halves of a product of 128 bits.
  private func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let product = (hash ^ word ^ 0x2545_F491_4F6C_DD1D).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
  }
}
