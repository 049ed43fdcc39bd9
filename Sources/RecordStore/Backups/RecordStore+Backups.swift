import Foundation
import LMDB

extension RecordStore {
  /// Takes the store back to a copy from before a migration, in one transaction: other processes go on with what the
  /// copy holds, and get a clear error where their schema is newer than that.
  ///
  /// Saves since then are undone here; the state from before is copied first, and is the newest of
  /// ``backups(of:)`` then. The store is a new replica, and readers of history start anew. Where it is
  /// synchronised, the next sync brings back what other devices have of it.
  ///
  /// - Returns: The copy of the state that was replaced.
  /// - Throws: `damaged` if the copy is not sound, `notFound` if it is gone. The store is unchanged then.
  @discardableResult
  public func restore(_ backup: StoreBackup) throws -> StoreBackup {
    let source = try RecordStore.open(StoreConfiguration(url: backup.url, isReadOnly: true))
    if let violation = try source.integrityViolations().first {
      throw StoreError(.damaged, "the copy at \(backup.url.path) is damaged (\(violation)): choose another one")
    }
    let configuration = configuration
    let (environment, url) = (core.environment, url)
    var replaced: StoreBackup?
    if let kept = source.core.external, let own = core.external { try kept.copy(to: own, links: true) }
    try whileNobodyElseMigrates {
      replaced = try write { transaction, layout throws in
        var roomy = configuration
        // The copy that is being restored must not go.
        roomy.backupCount = try RecordStore.backups(of: url).count + 1
        let head = try CopyHead(StoreSnapshot(transaction: transaction.view, layout: layout))
        let copy = try BackupFolder(store: url, configuration: roomy)
          .add(environment, head, layout.catalogue.schemaVersion)
        return (copy, try StoreReplacement(layout, url: url).run(from: source.core, in: transaction))
      }
    }
    guard let replaced else { preconditionFailure("the transaction that has committed made a copy") }
    return replaced
  }
}

/// Puts another store's tables in the place of this one's. Numbers of history go on above all that this store has
/// given, so that every token and every context sees that it must start anew.
private struct StoreReplacement {
  private let layout: StoreLayout
  private let url: URL
  private var path: String { url.path }

  init(_ layout: StoreLayout, url: URL) {
    self.layout = layout
    self.url = url
  }

  func run(from source: StoreCore, in transaction: borrowing WriteTransaction) throws -> StoreLayout {
    let meta = MetaTable(transaction.view, layout.databases.meta, path: path)
    let (header, state) = (try meta.header(), try meta.state())
    let arrivals = try StoreSnapshot(transaction: transaction.view, layout: layout).nextValueArrivals
    let past = try source.environment.read { reading in
      (
        names: try reading.view.databaseNames(),
        state: try MetaTable(reading.view, source.currentLayout.databases.meta, path: source.path).state()
      )
    }
    let tables = try past.names.compactMap { try source.environment.database(named: $0) }
    for name in try transaction.view.databaseNames() {
      try transaction.removeAll(from: transaction.createDatabase(named: name))
    }
    try HistoryTail.removeAll(in: transaction)
    // A closure cannot capture the borrowed transaction, so its tables come first.
    var targets: [Database] = []
    for table in tables { targets.append(try transaction.createDatabase(named: table.name)) }
    let pairs = Array(zip(tables, targets))
    try transaction.lend { handle throws in
      try source.environment.read { reading in
        // One number is left out, so that every earlier token is seen to be too old.
        for (table, target) in pairs { try copy(table, reading.view, to: target, handle, after: state.lastNumber + 1) }
      }
    }
    return try adopt(past.state, after: header, state, arrivals, in: transaction)
  }

  private func copy(
    _ table: Database, _ view: TransactionView, to target: Database, _ handle: WriteHandle, after shift: UInt64
  ) throws {
    try handle.withTransaction { transaction in
      var cursor = try view.cursor(table)
      var found = try cursor.first()
      while let entry = found {
        switch table.name {
        case NamedDatabases.Name.history:
          let number = entry.key.load(at: 0, as: UInt64.self).byteSwapped
          try put(entry.value, number: number + shift, target, transaction)
        case NamedDatabases.Name.dots:
          let value = HistoryRenumbering.raised(entry.value, by: shift) ?? entry.value.copied()
          try transaction.put(target, key: entry.key.copied(), value: value, mode: .append)
        default:
          try transaction.put(target, key: entry.key, value: entry.value, mode: .append)
        }
        found = try cursor.next()
      }
      guard table.name == NamedDatabases.Name.history else { return }
      try HistoryTail(view).forEach { number, entry in
        try put(entry, number: number + shift, target, transaction)
        return true
      }
    }
  }

  private func put(
    _ entry: RawBytes, number: UInt64, _ history: Database, _ transaction: borrowing WriteTransaction
  ) throws {
    try HistoryTable.key(number).withRawBytes { key throws in
      try transaction.put(history, key: key, value: entry, mode: .append)
    }
  }

  /// Takes over the parts that must not go back: the family, the clock, the numbers of history and of catalogues, and
  /// the count of arrivals.
  private func adopt(
    _ past: StoreState, after header: StoreHeader, _ state: StoreState, _ arrivals: StoreAttachment,
    in transaction: borrowing WriteTransaction
  ) throws -> StoreLayout {
    let database = layout.databases.meta
    let meta = MetaTable(transaction.view, database, path: path)
    var (restoredHeader, restored) = (try meta.header(), past)
    var catalogue = try meta.catalogue()
    catalogue.generation = layout.catalogue.generation + 1
    restoredHeader.storeID = header.storeID
    restored.lastNumber += state.lastNumber + 1
    if state.clock.seen > restored.clock.seen { restored.clock = state.clock }
    let later = FormerReplica(replica: header.replica, reason: .setBack)
    try transaction.put(layout.databases.attachments, key: later.key, value: later.value)
    if layout.catalogue.hasExternalValues, let count = arrivals.value {
      try transaction.put(layout.databases.attachments, key: arrivals.key, value: count)
    }
    _ = try IdentityTable(layout, path: url.path).renew(
      restoredHeader, because: .setBack, at: StorePlace(ofStoreAt: url), file: IdentityFile.read(beside: url),
      in: transaction)
    try restored.write(to: transaction)
    // A copy that an earlier build made has it.
    try transaction.delete(database, key: StoreState.formerKey)
    return try StoreLayout.create(catalogue, in: transaction)
  }
}
