import Tandem

/// A part of a list: so many elements, after so many that are left out. The whole list unless it says otherwise.
public struct Page: Hashable, Sendable {
  /// The whole list.
  public static let all = Page()

  /// Nil for all that follow; at least 0.
  public let limit: Int?
  /// At least 0.
  public let offset: Int

  /// Negative numbers count as 0.
  public init(limit: Int? = nil, offset: Int = 0) {
    self.limit = limit.map { max(0, $0) }
    self.offset = max(0, offset)
  }

  /// The page that begins with the list and ends where this one does: enough of each of several lists that are merged.
  var fromStart: Page { Page(limit: limit.map { $0 + offset }) }

  /// The part of a list that lies in memory.
  func part<Element>(of list: [Element]) -> [Element] {
    let rest = list.dropFirst(offset)
    return Array(limit.map { rest.prefix($0) } ?? rest)
  }

  /// The same for a list that the store orders and cuts.
  func cut<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) -> FetchDescriptor<Model> {
    var cut = descriptor
    cut.fetchLimit = limit
    cut.fetchOffset = offset
    return cut
  }
}
