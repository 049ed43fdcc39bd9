import Foundation
import RecordStore
import RecordSync

/// The fates of whole exchange folders, and of the process that works on one.
extension ScenarioWorld {
  /// Only the empty mount point is left.
  func unmount(_ name: String) throws {
    let folder = replica(name).folder
    replica(name).isFolderWiped = true
    try FileManager.default.moveItem(at: folder, to: aside(name, "unmounted"))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  /// The folder as it was; what lay in the mount point meanwhile is covered by it. Mounted already: nothing.
  func mount(_ name: String) throws {
    let hidden = aside(name, "unmounted")
    guard FileManager.default.fileExists(atPath: hidden.path) else { return }
    try FileManager.default.removeItem(at: replica(name).folder)
    try FileManager.default.moveItem(at: hidden, to: replica(name).folder)
  }

  /// The folder is mounted again, or somebody else's copy of what marks it stands in for it.
  func bringBack(_ name: String) throws {
    try mount(name)
    for other in replicas where !other.isFolderWiped {
      let marker = "tandem1-\(ScenarioWorld.family)/STORE"
      let (from, to) = (other.folder.appending(path: marker), replica(name).folder.appending(path: marker))
      guard FileManager.default.fileExists(atPath: from.path), !FileManager.default.fileExists(atPath: to.path) else {
        continue
      }
      try FileManager.default.createDirectory(at: to.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: from, to: to)
    }
  }

  func keepFolder(of name: String) throws {
    let kept = aside(name, "kept")
    if FileManager.default.fileExists(atPath: kept.path) { try FileManager.default.removeItem(at: kept) }
    try FileManager.default.copyItem(at: replica(name).folder, to: kept)
  }

  /// The folder as it was when it was kept. Never kept: nothing.
  func rollBackFolder(of name: String) throws {
    let kept = aside(name, "kept")
    guard FileManager.default.fileExists(atPath: kept.path) else { return }
    try FileManager.default.removeItem(at: replica(name).folder)
    try FileManager.default.copyItem(at: kept, to: replica(name).folder)
  }

  func aside(_ name: String, _ state: String) -> URL { root.appending(path: "\(name).\(state)") }

  /// Runs the engine until it reaches the point, or its end if that comes first; then the store is opened anew. Without
  /// a point it dies at each in turn, until it reaches its end.
  func interrupt(_ work: Scenario.Work, on name: String, at point: Int?) async throws {
    if let point {
      try await stop(work, on: name, at: point)
      return
    }
    var next = 0
    while try await stop(work, on: name, at: next) { next += 1 }
  }

  /// Whether the point was reached.
  @discardableResult
  private func stop(_ work: Scenario.Work, on name: String, at point: Int) async throws -> Bool {
    let engine = replica(name).engine(family: ScenarioWorld.family)
    var isStopped = false
    do {
      try await Interruption.$plan.withValue(Interruption.Plan(at: point)) {
        switch work {
        case .export: _ = try await engine.export()
        case .importing: _ = try await engine.import()
        case .sync: _ = try await engine.sync()
        case .collect: _ = try await engine.collect()
        case .compact: _ = try await engine.compact()
        case .snapshot: _ = try await engine.writeSnapshot()
        }
      }
    } catch is Interruption.Stop {
      // The process is gone where it stood; what it had promised is looked at after the restart.
      isStopped = true
    }
    try replica(name).reopen()
    try replica(name).noteID()
    return isStopped
  }
}
