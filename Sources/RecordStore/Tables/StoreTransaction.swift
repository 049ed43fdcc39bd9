/// ``HistoryTransaction`` under a name that a file can say which imports Tandem too: there, `HistoryTransaction`
/// is SwiftData's protocol, and a module cannot be named to tell the two apart, as this one is called like its class.
package typealias StoreTransaction = HistoryTransaction

/// ``HistoryChange``, for the same reason.
package typealias StoreChange = HistoryChange
