import Foundation
import LMDB

/// Makes a copy of a store a replica of its own, before the copy gets its name: in one transaction, closed again when
/// it returns, because LMDB must not have a file under two names.
struct CopyAdoption {
  private let directory: URL
  private let options: Environment.Options

  init(_ directory: URL, _ configuration: StoreConfiguration) {
    self.directory = directory
    var options = configuration.environmentOptions
    // The copy gets its name once it is safe, also where later commits wait for no flush.
    if options.durability == .relaxed || configuration.url == nil { options.durability = .full }
    options.isReadOnly = false
    self.options = options
  }

  /// - Parameter lastNumber: history goes on behind this number, so that every token that a reader has of the store
  ///   whose place the copy takes is seen to be too old; nil: the numbers stay.
  func run(because reason: FormerReplica.Reason, goingOnAfter lastNumber: UInt64? = nil) throws {
    try StoreError.translating(store: directory.path) {
      let environment = try Environment.open(at: directory.path, options: options)
      let found = try StoreLayout.found(in: environment)
      let place = try StorePlace(ofStoreAt: directory)
      try environment.write { transaction in
        let format = try MetaTable(transaction.view, found.databases.meta, path: directory.path).format()
        let layout = try FormatUpgrade(path: directory.path).runIfNeeded(found, format, in: transaction)
        let table = IdentityTable(layout, path: directory.path)
        _ = try table.renew(
          table.header(in: transaction), because: reason, at: place, file: nil, in: transaction)
        if let lastNumber {
          // One number is left out.
          try HistoryRenumbering(layout, path: directory.path).raise(by: lastNumber + 1, in: transaction)
        }
      }
    }
  }
}

extension StoreLayout {
  /// The layout of a store whose environment alone is open.
  static func found(in environment: Environment) throws -> StoreLayout {
    let path = environment.path
    guard let meta = try environment.database(named: NamedDatabases.Name.meta) else {
      throw StoreError(.notAStore, "\(path) is an LMDB file of another program: choose another path")
    }
    let catalogue = try environment.read { try MetaTable($0.view, meta, path: path).catalogue() }
    return try StoreLayout.open(catalogue, in: environment)
  }
}
