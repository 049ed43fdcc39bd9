import Foundation
import RecordStore
import RecordSync

/// What a process is at while a call fails, or while it is killed.
enum Step: String, CaseIterable, Sendable {
  case create, open, save, fetch, migrate, export, `import`, sync, compact, copy, backup, close

  /// How many saves are there before.
  static let savesBefore: Int64 = 6

  /// Brings a site to where the step begins. Returns the ledger that stays open, if one does.
  func prepare(_ site: Site) throws -> Ledger? {
    if self == .create { return nil }
    var ledger: Ledger? = try site.create()
    for save in 1...Self.savesBefore { try Voice.save(save, 1, ledger, site.seed) }
    switch self {
    case .open, .migrate: ledger = nil
    case .import, .sync, .compact: try prepareExchange(site, ledger)
    case .backup: try ledger?.store.backup(to: site.backup)
    default: break
    }
    return self == .import ? try site.createOther(at: site.second) : ledger
  }

  private func prepareExchange(_ site: Site, _ ledger: Ledger?) throws {
    guard let ledger else { return }
    let engine = site.engine(ledger)
    _ = try wait { try await engine.export() }
    for save in Self.savesBefore + 1...Self.savesBefore + 3 {
      try Voice.save(save, 1, ledger, site.seed)
      _ = try wait { try await engine.export() }
    }
    guard self == .sync else { return }
    // Another device that has something for this one.
    let other = try site.createOther(at: site.second)
    let second = site.engine(other, family: ledger.store.storeID)
    _ = try wait { try await second.import() }
    for save in Int64(1)...4 { try Voice.save(save, 2, other, site.seed, transfers: false) }
    _ = try wait { try await second.export() }
  }

  /// Does it. Returns the ledger that stays open, if one does.
  func act(_ site: Site, _ open: consuming Ledger?) throws -> Ledger? {
    switch self {
    case .create: return try site.create()
    case .open: return try site.open()
    case .migrate:
      return try Ledger(site.configuration(site.first), schema: LedgerSchema.second)
    case .close:
      open = nil
      return nil
    default: break
    }
    guard let ledger = open else { preconditionFailure("the step \(rawValue) has an open store") }
    try act(site, with: ledger)
    return ledger
  }

  private func act(_ site: Site, with ledger: Ledger) throws {
    let engine = site.engine(ledger, family: self == .import ? try site.open().store.storeID : nil)
    switch self {
    case .save: try Voice.save(try (ledger.progress()[1] ?? 0) + 1, 1, ledger, site.seed)
    case .fetch: _ = try ledger.audit(seed: site.seed)
    case .export: _ = try wait { try await engine.export() }
    case .import: _ = try wait { try await engine.import() }
    case .sync: _ = try wait { try await engine.sync() }
    case .compact:
      _ = try wait {
        _ = try await engine.writeSnapshot()
        return try await engine.compact()
      }
    case .copy: try ledger.store.copy(to: site.copy)
    case .backup: try ledger.store.backup(to: site.backup)
    case .create, .open, .migrate, .close: break
    }
  }
}

/// What a working process says, and its marks in the log of calls.
enum Voice {
  static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  static func mark(_ name: String) { _ = access("/campaign/\(name)", F_OK) }

  /// One save; says that it was acknowledged once it was.
  static func save(
    _ number: Int64, _ writer: Int64, _ ledger: Ledger?, _ seed: UInt64, transfers: Bool = true
  ) throws {
    say("begun \(writer) \(number)")
    mark("begun/\(writer)/\(number)")
    try ledger?.save(number, writer: writer, seed: seed, transfers: transfers)
    mark("saved/\(writer)/\(number)")
    say("saved \(writer) \(number)")
  }

  /// An error by its kind and code, then its sentence.
  static func describe(_ error: any Error) -> String {
    let text =
      switch error {
      case let error as StoreError: "store \(error.code) \(error.message)"
      case let error as SyncError: "sync \(error.code) \(error.message)"
      case let error as Finding: "finding - \(error)"
      default: "untyped \(type(of: error)) \(error)"
      }
    return text.replacing("\n", with: " ")
  }
}
