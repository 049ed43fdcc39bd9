/// The last page of a commit's list of free pages, as far as it can be read: what the last commits have freed.
struct FreePageListEnd {
  /// The commit that freed pages last; nil where it cannot be read. The first commit frees nothing, nor has a compacted
  /// copy free pages: its number is 1.
  let number: UInt64?
  private let leaf: DataFilePage?

  /// Costs a page for each level of the tree.
  init(of meta: DataFileMeta, _ page: (UInt64) throws -> DataFilePage?) rethrows {
    if meta.freeRoot == DataFileSurvey.noPage {
      (number, leaf) = (meta.mainRoot == DataFileSurvey.noPage ? 0 : 1, nil)
      return
    }
    leaf = try Self.lastLeaf(meta.freeRoot, page)
    number = leaf.flatMap { leaf in
      guard let key = leaf.nodes.last?.key, key.count == 8 else { return nil }
      return leaf.bytes.number(UInt64.self, at: key.lowerBound)
    }
  }

  private static func lastLeaf(
    _ root: UInt64, _ page: (UInt64) throws -> DataFilePage?
  ) rethrows -> DataFilePage? {
    var number = root
    for _ in 0..<DataFileSurvey.greatestDepth {
      guard let found = try page(number), found.isIntact, let last = found.nodes.last else { return nil }
      switch last.content {
      case .child(let child): number = child
      case .value, .overflow: return found
      case .database: return nil
      }
    }
    return nil
  }

  /// Whether the commit of this list may come next after another one: each commit frees the page on which the one
  /// before has its list of databases. True where the list is too long to tell.
  func mayFollow(_ meta: DataFileMeta) -> Bool {
    guard meta.mainRoot != DataFileSurvey.noPage, let last = leaf?.nodes.last, case .value = last.content else {
      return true
    }
    return Self.lists(meta.mainRoot, last, in: leaf)
  }

  /// Whether a page is free, as far as this page of the list says; a long list of one commit has pages of its own.
  func contains(_ page: UInt64) -> Bool { leaf?.nodes.contains { Self.lists(page, $0, in: leaf) } ?? false }

  private static func lists(_ page: UInt64, _ node: DataFilePage.Node, in leaf: DataFilePage?) -> Bool {
    guard let leaf, case .value(let range) = node.content else { return false }
    // The count comes first; room behind that many numbers has none.
    let room = range.count / 8 - 1
    guard room > 0, case let count = leaf.bytes.number(UInt64.self, at: range.lowerBound) else { return false }
    return (0..<min(room, Int(clamping: count))).contains { place in
      leaf.bytes.number(UInt64.self, at: range.lowerBound + 8 * (place + 1)) == page
    }
  }
}
