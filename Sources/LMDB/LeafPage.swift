import CLMDB

/// A leaf page of a snapshot, as it lies in the map: where walks read their entries without asking LMDB for each.
///
/// Layout: see ``DataFileExtent``. Nothing is read but the page, whatever it says; what is not exactly as expected,
/// such as a value that has pages of its own, is no entry here, and LMDB's to give.
///
/// A pointer file, valid as long as the view of its cursor.
@usableFromInline
struct LeafPage: Equatable {
  private static let leafFlags: UInt16 = 2
  @usableFromInline static let pageHeader = 16
  @usableFromInline static let nodeHeader = 8

  // Never dereferenced without entries; any non-null pointer serves.
  @usableFromInline var start = UnsafeRawPointer(bitPattern: 1)!
  @usableFromInline var byteCount = 0
  /// The number of its entries.
  @usableFromInline var count = 0

  @usableFromInline
  init() {}

  /// Without entries where it is none that is understood here.
  init(_ page: UnsafeRawPointer, pageBytes: Int) {
    let end = Int(page.load(fromByteOffset: 12, as: UInt16.self))
    guard page.load(fromByteOffset: 10, as: UInt16.self) == Self.leafFlags, end > Self.pageHeader, end <= pageBytes
    else { return }
    start = page
    byteCount = pageBytes
    count = (end - Self.pageHeader) >> 1
  }

  /// The page that a key lies in.
  init(around key: RawBytes, pageBytes: Int) {
    // Only then does each page begin at a multiple of its size, as the map does.
    guard pageBytes > 0, Self.systemPageBytes.isMultiple(of: pageBytes) else {
      self.init()
      return
    }
    self.init(key.start - Int(bitPattern: key.start) % pageBytes, pageBytes: pageBytes)
  }

  private static let systemPageBytes = sysconf(Int32(_SC_PAGESIZE))

  /// Where a node begins.
  @inlinable
  func offset(at place: Int) -> Int {
    Int(start.load(fromByteOffset: Self.pageHeader &+ place &* 2, as: UInt16.self))
  }

  /// The entry at a place of the page; nil if there is no such place, or if LMDB must say.
  @inlinable
  func entry(at place: Int) -> Cursor.Entry? {
    guard UInt(bitPattern: place) < UInt(bitPattern: count) else { return nil }
    let offset = offset(at: place)
    guard offset <= byteCount &- Self.nodeHeader else { return nil }
    let node = start + offset
    let head = UInt64(littleEndian: node.loadUnaligned(as: UInt64.self))
    let valueBytes = Int(truncatingIfNeeded: head & 0xffff_ffff)
    let keyBytes = Int(truncatingIfNeeded: head >> 48)
    // Flags say that the value lies elsewhere.
    guard head & 0xffff_0000_0000 == 0, offset &+ Self.nodeHeader &+ keyBytes &+ valueBytes <= byteCount else {
      return nil
    }
    let key = node + Self.nodeHeader
    return Cursor.Entry(
      key: RawBytes(start: key, count: keyBytes), value: RawBytes(start: key + keyBytes, count: valueBytes))
  }

  /// The place of its first entry for who walks on, of its last one for who walks back.
  func edge(towards distance: Int) -> Int { distance > 0 ? 0 : count - 1 }

  /// Where an entry is, by where its key lies in the page.
  func place(of key: RawBytes) -> Int? {
    let offset = key.start - start - Self.nodeHeader
    let sought = SIMD16<UInt16>(repeating: UInt16(truncatingIfNeeded: offset))
    var next = 0
    while next + sought.scalarCount <= count {
      let some = start.loadUnaligned(fromByteOffset: Self.pageHeader + next * 2, as: SIMD16<UInt16>.self)
      if any(some .== sought) { break }
      next += sought.scalarCount
    }
    for place in next..<count where self.offset(at: place) == offset { return place }
    return nil
  }

  func isKey(_ key: RawBytes, at place: Int) -> Bool {
    place >= 0 && place < count && self.offset(at: place) == key.start - start - Self.nodeHeader
  }

  /// The key at a place, also of an entry that LMDB must give; nil if there is no such place, or no key.
  func key(at place: Int) -> RawBytes? {
    guard place >= 0, place < count else { return nil }
    let offset = offset(at: place)
    guard offset <= byteCount - Self.nodeHeader else { return nil }
    let key = start + offset + Self.nodeHeader
    let keyBytes = Int((start + offset).loadUnaligned(fromByteOffset: 6, as: UInt16.self))
    return offset + Self.nodeHeader + keyBytes <= byteCount ? RawBytes(start: key, count: keyBytes) : nil
  }
}
