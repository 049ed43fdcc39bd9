import Foundation
import RecordStore
import RecordSync

/// A step again and again on one site, for processes that are killed somewhere in it. Each round goes on from whatever
/// the last process has left.
struct Repetition {
  private let step: Step
  private let site: Site

  init(_ step: Step, _ site: Site) {
    self.step = step
    self.site = site
  }

  func run(until isOver: () -> Bool) throws {
    switch step {
    case .create: try repeatCreation(isOver)
    case .open, .close: while !isOver() { _ = try site.open().progress() }
    case .migrate: try repeatMigration(isOver)
    case .copy: try repeatCopy(isOver)
    case .backup: try repeatBackup(isOver)
    case .fetch:
      let ledger = try site.open()
      while !isOver() { _ = try ledger.checkSum() }
    case .save:
      let ledger = try site.open()
      while !isOver() {
        try save(ledger)
        if site.hasScans { try ledger.store.collectExternalValues(unusedForSeconds: 0) }
      }
    case .export, .sync, .compact: try repeatExchange(isOver)
    case .import: try repeatImport(isOver)
    }
  }

  private func save(_ ledger: Ledger) throws {
    try Voice.save((ledger.progress()[1] ?? 0) + 1, 1, ledger, site.seed)
  }

  private func repeatCreation(_ isOver: () -> Bool) throws {
    let folder = site.folder.appendingPathComponent("created")
    while !isOver() {
      // What a killed creation has left is a whole store or none.
      if FileManager.default.fileExists(atPath: folder.path) {
        _ = try Auditor.store(Site(folder.path, seed: site.seed))
      }
      try remove(folder)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      _ = try Site(folder.path, seed: site.seed).create()
    }
  }

  /// Stores made for it: one store is migrated once.
  private func repeatMigration(_ isOver: () -> Bool) throws {
    let folder = site.folder.appendingPathComponent("migrated")
    while !isOver() {
      let other = Site(folder.path, seed: site.seed)
      if FileManager.default.fileExists(atPath: other.first.path) {
        let ledger = try Ledger(other.configuration(other.first), schema: LedgerSchema.second)
        _ = try ledger.audit(seed: site.seed)
      }
      try remove(folder)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      // Complete under another name first, so that what is killed is the migration.
      let making = Site(folder.appendingPathComponent("making").path, seed: site.seed)
      try FileManager.default.createDirectory(at: making.folder, withIntermediateDirectories: false)
      var ledger: Ledger? = try making.create()
      for save in Int64(1)...3 { try ledger?.save(save, writer: 1, seed: site.seed) }
      ledger = nil
      guard rename(making.first.path, other.first.path) == 0 else { throw Trouble("a new store could not be named") }
    }
  }

  private func repeatCopy(_ isOver: () -> Bool) throws {
    let ledger = try site.open()
    while !isOver() {
      try remove(site.copy)
      try ledger.store.copy(to: site.copy)
      try save(ledger)
    }
  }

  private func repeatBackup(_ isOver: () -> Bool) throws {
    let ledger = try site.open()
    // One that is there stays whole while it is replaced.
    if FileManager.default.fileExists(atPath: site.backup.path) { _ = try Auditor.backup(site) }
    while !isOver() {
      try ledger.store.backup(to: site.backup)
      try save(ledger)
    }
  }

  private func repeatExchange(_ isOver: () -> Bool) throws {
    let ledger = try site.open()
    let engine = site.engine(ledger)
    while !isOver() {
      try save(ledger)
      _ = try wait { try await engine.export() }
      if step == .sync { _ = try wait { try await engine.sync() } }
      if step == .compact {
        _ = try wait {
          _ = try await engine.writeSnapshot()
          return try await engine.compact()
        }
      }
    }
  }

  private func repeatImport(_ isOver: () -> Bool) throws {
    let family = try site.open().store.storeID
    while !isOver() {
      let other = try site.createOther(at: site.second)
      let engine = site.engine(other, family: family)
      _ = try wait { try await engine.import() }
      try remove(site.second)
    }
  }

  /// Under another name first: a directory whose removal was killed is no store that a round left.
  private func remove(_ url: URL) throws {
    let gone = url.appendingPathExtension("gone")
    if FileManager.default.fileExists(atPath: gone.path) { try FileManager.default.removeItem(at: gone) }
    guard FileManager.default.fileExists(atPath: url.path) else { return }
    guard rename(url.path, gone.path) == 0 else { throw Trouble("a store could not be taken away") }
    try FileManager.default.removeItem(at: gone)
  }
}
