/// The list of free pages of one commit, as far as it can be read.
///
/// Layout: a tree whose keys are transaction ids, and whose values are a count and page numbers. Keys are compared as
/// numbers, so their order is not checked here.
struct FreePageList {
  /// The pages that are free. Some may lie behind the end of the file: they were freed before they were written.
  private(set) var free: [UInt64] = []
  /// The pages of the list itself.
  private(set) var own: [UInt64] = []
  private(set) var isWhole = true

  init(_ root: UInt64, in pages: DataFilePages) {
    var seen: Set<UInt64> = []
    var waiting = root == DataFileSurvey.noPage ? [] : [root]
    while let number = waiting.popLast() {
      guard number < pages.count, seen.insert(number).inserted, let page = pages.page(number), page.isIntact else {
        isWhole = false
        continue
      }
      own.append(number)
      for node in page.nodes {
        switch node.content {
        case .child(let child): waiting.append(child)
        case .value(let range) where node.key.count == 8: add(Array(page.bytes[range]))
        case .overflow(let number, let byteCount):
          guard let found = pages.overflow(number, byteCount: byteCount) else {
            isWhole = false
            continue
          }
          own += number..<number + UInt64(found.pages)
          add(found.value)
        case .value, .database: isWhole = false
        }
      }
    }
  }

  private mutating func add(_ list: [UInt8]) {
    guard list.count >= 8, list.number(UInt64.self, at: 0) <= UInt64(list.count / 8 - 1) else {
      isWhole = false
      return
    }
    for index in 0..<Int(list.number(UInt64.self, at: 0)) { free.append(list.number(UInt64.self, at: 8 + 8 * index)) }
  }
}
