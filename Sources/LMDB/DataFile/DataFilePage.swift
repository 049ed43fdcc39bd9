/// One page of a data file as its bytes say. Every offset is checked, so that damage yields fewer nodes and no crash.
///
/// Layout: see ``TreePage``. In an intact page the header repeats the page's number, the keys rise, and the nodes
/// fill the page's end: their sizes, each rounded up to an even number, add up to what lies behind the free space
/// (offset 14).
struct DataFilePage {
  enum Kind {
    case branch
    case leaf
    /// The first of some pages that hold one value behind one header.
    case overflow(pages: Int)
  }

  struct Node {
    enum Content {
      case child(UInt64)
      /// Where the value lies in the page.
      case value(Range<Int>)
      case overflow(page: UInt64, byteCount: Int)
      /// Where the description of a named database lies in the page.
      case database(Range<Int>)
    }
    let key: Range<Int>
    let content: Content
  }

  static let headerBytes = 16
  private static let nodeHeaderBytes = 8
  private static let bigData: UInt16 = 1
  private static let subdata: UInt16 = 2
  static let databaseBytes = 48

  let number: UInt64
  let bytes: [UInt8]
  let kind: Kind
  /// Those that lie inside the page, in its order.
  private(set) var nodes: [Node] = []
  /// Whether the page is as its writer left it, as far as its structure tells.
  private(set) var isIntact = true

  /// Nil where the header is none of a page with this number.
  init?(_ bytes: [UInt8], number: UInt64) {
    guard bytes.count > Self.headerBytes, bytes.number(UInt64.self, at: 0) == number else { return nil }
    self.bytes = bytes
    self.number = number
    switch bytes.number(UInt16.self, at: 10) {
    case 1: kind = .branch
    case 2: kind = .leaf
    case 4:
      kind = .overflow(pages: Int(bytes.number(UInt32.self, at: 12)))
      return
    default: return nil
    }
    readNodes()
  }

  var isOfTree: Bool {
    if case .overflow = kind { return false }
    return true
  }

  func key(of node: Node) -> [UInt8] { Array(bytes[node.key]) }

  func isKey(of node: Node, before other: Node) -> Bool {
    bytes[node.key].lexicographicallyPrecedes(bytes[other.key])
  }

  private mutating func readNodes() {
    let end = Int(bytes.number(UInt16.self, at: 12))
    let contents = Int(bytes.number(UInt16.self, at: 14))
    guard end > Self.headerBytes, end.isMultiple(of: 2), end <= contents, contents <= bytes.count else {
      isIntact = false
      return
    }
    var filled = 0
    nodes.reserveCapacity((end - Self.headerBytes) / 2)
    for slot in stride(from: Self.headerBytes, to: end, by: 2) {
      guard let (node, size) = node(at: Int(bytes.number(UInt16.self, at: slot)), from: contents) else {
        isIntact = false
        continue
      }
      filled += size + size % 2
      nodes.append(node)
    }
    if filled != bytes.count - contents { isIntact = false }
  }

  /// A node and how many bytes it takes; nil where it does not lie behind `contents`.
  private func node(at start: Int, from contents: Int) -> (Node, Int)? {
    guard start >= contents, start + Self.nodeHeaderBytes <= bytes.count else { return nil }
    let low = bytes.number(UInt32.self, at: start)
    let flags = bytes.number(UInt16.self, at: start + 4)
    let keyStart = start + Self.nodeHeaderBytes
    let keyEnd = keyStart + Int(bytes.number(UInt16.self, at: start + 6))
    guard keyEnd <= bytes.count else { return nil }
    if case .branch = kind {
      return (Node(key: keyStart..<keyEnd, content: .child(UInt64(low) | UInt64(flags) << 32)), keyEnd - start)
    }
    if flags == Self.bigData {
      guard keyEnd + 8 <= bytes.count else { return nil }
      let page = bytes.number(UInt64.self, at: keyEnd)
      return (Node(key: keyStart..<keyEnd, content: .overflow(page: page, byteCount: Int(low))), keyEnd + 8 - start)
    }
    let value = keyEnd..<(keyEnd + Int(low))
    guard value.upperBound <= bytes.count else { return nil }
    if flags == Self.subdata, value.count == Self.databaseBytes {
      return (Node(key: keyStart..<keyEnd, content: .database(value)), value.upperBound - start)
    }
    guard flags == 0 else { return nil }
    return (Node(key: keyStart..<keyEnd, content: .value(value)), value.upperBound - start)
  }
}

extension [UInt8] {
  /// The little-endian integer at an offset, which the caller has checked.
  func number<Integer: FixedWidthInteger>(_ type: Integer.Type, at offset: Int) -> Integer {
    withRawBytes { $0.load(at: offset, as: type) }
  }
}
