/// How the pages of a tree are laid out, for code that reads them where they lie in the map.
///
/// A bet on LMDB (``ForeignLayout/pages``): `mdb.h` has no call that leads to a page. The layout is that of `mdb.c`,
/// struct `MDB_page` and struct `MDB_node`. It is also that of the file, so it ends with the data version: with LMDB
/// 1.0. Besides, the bet is that keys and values that LMDB lends lie in these pages, at their place in the map.
/// ``LeafPage``, ``LeafPath`` and ``TreeSearch`` each test what they read beside what LMDB's own cursors and look-ups
/// say; where that differs, and where the bet is turned off, these answer.
///
/// Layout (LMDB 0.9, data version 1, little-endian). A page has a header: 0 its own number, 10 flags, 12 the end of the
/// list that follows, which says where each node begins. A node: 0 in a leaf the number of the value's bytes in 4 bytes
/// and flags in 2 (1: the value has pages of its own; 2: it is what the list of databases has of one), in a branch all
/// six the number of the child's page; 6 the number of the key's bytes, 8 the key, then the value. A branch page's
/// first node stands for all keys below the second's, and its key is empty.
///
/// A pointer file: the caller answers for the page. Nothing beyond it is read, whatever it says.
@usableFromInline
enum TreePage {
  enum Kind: UInt16 {
    case branch = 1
    case leaf = 2
  }

  @inlinable static var headerBytes: Int { 16 }
  @inlinable static var nodeHeaderBytes: Int { 8 }

  /// The number of a page's nodes; nil where it is of another kind, has none or makes no sense.
  @inline(__always)
  static func count(of page: UnsafeRawPointer, _ kind: Kind, pageBytes: Int) -> Int? {
    let end = Int(page.load(fromByteOffset: 12, as: UInt16.self))
    guard page.load(fromByteOffset: 10, as: UInt16.self) == kind.rawValue, end >= headerBytes + 2, end <= pageBytes
    else {
      return nil
    }
    return (end - headerBytes) >> 1
  }

  /// Where a node begins.
  @inlinable @inline(__always)
  static func offset(of place: Int, in page: UnsafeRawPointer) -> Int {
    Int(page.load(fromByteOffset: headerBytes &+ place &* 2, as: UInt16.self))
  }

  /// A node; nil where the page has no room for so many bytes there.
  @inline(__always)
  static func node(
    _ place: Int, of page: UnsafeRawPointer, pageBytes: Int, bytes: Int = nodeHeaderBytes
  ) -> UnsafeRawPointer? {
    let offset = offset(of: place, in: page)
    return offset <= pageBytes &- bytes ? page + offset : nil
  }

  @inline(__always)
  static func keyBytes(of node: UnsafeRawPointer) -> Int {
    Int(node.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
  }

  /// The key of a node; nil where it does not lie in the page.
  static func key(_ place: Int, of page: UnsafeRawPointer, pageBytes: Int) -> RawBytes? {
    guard let node = node(place, of: page, pageBytes: pageBytes) else { return nil }
    let count = keyBytes(of: node)
    guard node - page + nodeHeaderBytes + count <= pageBytes else { return nil }
    return RawBytes(start: node + nodeHeaderBytes, count: count)
  }

  /// Whether a leaf's node, in the list of databases, is one of these.
  static func isDatabase(_ node: UnsafeRawPointer) -> Bool {
    node.loadUnaligned(fromByteOffset: 4, as: UInt16.self) & 2 != 0
  }

  /// The page of a branch's child.
  @inline(__always)
  static func child(of node: UnsafeRawPointer) -> UInt64 {
    UInt64(node.loadUnaligned(as: UInt32.self)) | UInt64(node.loadUnaligned(fromByteOffset: 4, as: UInt16.self)) << 32
  }
}
