import CLMDB
import ForeignLayouts

/// A leaf page of a snapshot, as it lies in the map: where walks read their entries without asking LMDB for each.
///
/// Layout: see ``TreePage``. Nothing is read but the page, whatever it says; what is not exactly as expected,
/// such as a value that has pages of its own, is no entry here, and LMDB's to give.
///
/// A pointer file, valid as long as the view of its cursor.
@usableFromInline
struct LeafPage: Equatable {
  // Never dereferenced without entries; any non-null pointer serves.
  @usableFromInline var start = UnsafeRawPointer(bitPattern: 1)!
  @usableFromInline var byteCount = 0
  /// The number of its entries.
  @usableFromInline var count = 0

  @usableFromInline
  init() {}

  /// Without entries where it is none that is understood here.
  init(_ page: UnsafeRawPointer, pageBytes: Int) {
    guard let count = TreePage.count(of: page, .leaf, pageBytes: pageBytes) else { return }
    start = page
    byteCount = pageBytes
    self.count = count
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

  @inlinable
  func offset(at place: Int) -> Int { TreePage.offset(of: place, in: start) }

  /// The entry at a place of the page; nil if there is no such place, or if LMDB must say.
  @inlinable
  func entry(at place: Int) -> Cursor.Entry? {
    guard UInt(bitPattern: place) < UInt(bitPattern: count) else { return nil }
    let offset = offset(at: place)
    guard offset <= byteCount &- TreePage.nodeHeaderBytes else { return nil }
    let node = start + offset
    let head = UInt64(littleEndian: node.loadUnaligned(as: UInt64.self))
    let valueBytes = Int(truncatingIfNeeded: head & 0xffff_ffff)
    let keyBytes = Int(truncatingIfNeeded: head >> 48)
    // Flags say that the value lies elsewhere.
    guard head & 0xffff_0000_0000 == 0, offset &+ TreePage.nodeHeaderBytes &+ keyBytes &+ valueBytes <= byteCount else {
      return nil
    }
    let key = node + TreePage.nodeHeaderBytes
    return Cursor.Entry(
      key: RawBytes(start: key, count: keyBytes), value: RawBytes(start: key + keyBytes, count: valueBytes))
  }

  /// The place of its first entry when walking forward, of its last one when walking back.
  func edge(towards distance: Int) -> Int { distance > 0 ? 0 : count - 1 }

  /// Where an entry is, by where its key lies in the page.
  func place(of key: RawBytes) -> Int? {
    let offset = key.start - start - TreePage.nodeHeaderBytes
    let sought = SIMD16<UInt16>(repeating: UInt16(truncatingIfNeeded: offset))
    var next = 0
    while next + sought.scalarCount <= count {
      let some = start.loadUnaligned(fromByteOffset: TreePage.headerBytes + next * 2, as: SIMD16<UInt16>.self)
      if any(some .== sought) { break }
      next += sought.scalarCount
    }
    for place in next..<count where self.offset(at: place) == offset { return place }
    return nil
  }

  func isKey(_ key: RawBytes, at place: Int) -> Bool {
    place >= 0 && place < count && self.offset(at: place) == key.start - start - TreePage.nodeHeaderBytes
  }

  /// The key at a place, also of an entry that LMDB must give; nil if there is no such place, or no key.
  func key(at place: Int) -> RawBytes? {
    place >= 0 && place < count ? TreePage.key(place, of: start, pageBytes: byteCount) : nil
  }
}
