import LMDB

/// Gives the transactions of a store's history higher numbers: readers that know the old ones shall see that they must
/// start anew.
struct HistoryRenumbering {
  private let layout: StoreLayout
  private let path: String

  init(_ layout: StoreLayout, path: String) {
    self.layout = layout
    self.path = path
  }

  func raise(by shift: UInt64, in transaction: borrowing WriteTransaction) throws {
    let databases = layout.databases
    var state = try MetaTable(transaction.view, databases.meta, path: path).state()
    try HistoryTail(transaction.view).move(to: databases.history, in: transaction)
    if let first = try HistoryTable(transaction.view, layout).firstNumber() {
      // From the newest on, so that no number is given to two.
      for number in stride(from: state.lastNumber, through: first, by: -1) {
        guard let entry = try transaction.view.get(databases.history, key: HistoryTable.key(number)) else { continue }
        let value = entry.copied()
        try transaction.put(databases.history, key: HistoryTable.key(number + shift), value: value)
        try transaction.delete(databases.history, key: HistoryTable.key(number))
      }
    }
    try raiseDots(by: shift, in: transaction)
    let snapshot = StoreSnapshot(transaction: transaction.view, layout: layout)
    let (floor, gaps) = (try snapshot.historyFloor, try snapshot.historyGaps)
    let raised = [floor > 0 ? StoreAttachment.historyFloor(floor + shift) : nil, gaps.raised(by: shift).attachment]
    for case let mark? in raised {
      if let value = mark.value { try transaction.put(databases.attachments, key: mark.key, value: value) }
    }
    state.lastNumber += shift
    try state.write(to: transaction)
  }

  private func raiseDots(by shift: UInt64, in transaction: borrowing WriteTransaction) throws {
    var raised: [(key: [UInt8], value: [UInt8])] = []
    try transaction.view.forEachKey(in: layout.databases.dots, startingWith: []) { key, value in
      if let value = HistoryRenumbering.raised(value, by: shift) { raised.append((key.copied(), value)) }
    }
    for (key, value) in raised { try transaction.put(layout.databases.dots, key: key, value: value) }
  }

  /// The value of a dot with a higher number; nil where it names no transaction of this store's history.
  static func raised(_ dot: RawBytes, by shift: UInt64) -> [UInt8]? {
    let number = dot.load(at: 0, as: UInt64.self)
    return number == 0 ? nil : DotTable.value(number: number + shift, stamp: Stamp(encoded: dot, at: 8))
  }
}
