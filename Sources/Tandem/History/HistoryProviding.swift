/// A data store that has a history.
public protocol HistoryProviding: AnyObject {
  associatedtype HistoryType: HistoryTransaction
  static var historyType: HistoryType.Type { get }

  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  public static var historyType: HistoryType.Type { HistoryType.self }
}
