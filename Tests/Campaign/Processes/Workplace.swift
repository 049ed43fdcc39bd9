import Foundation
import Synchronization

/// Everything that a campaign must not leave behind: its folder, the file systems that it has mounted, its processes.
final class Workplace: Sendable {
  static let current = Workplace()

  private struct Content {
    var folder: URL?
    var mounts: [String] = []
    var processes: Set<pid_t> = []
    var isEnding = false
  }

  private let content = Mutex(Content())
  private let sources = Mutex(Sources())

  // Unchecked: they are only kept.
  private struct Sources: @unchecked Sendable { var all: [any DispatchSourceSignal] = [] }

  /// Whether the campaign shall stop where it is.
  var isEnding: Bool { content.withLock { $0.isEnding } }

  /// Makes the folder: in memory unless another place is given, for its flushes need no device then.
  func begin(at place: String?) throws {
    let root = place ?? (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : FileManager.default.temporaryDirectory.path)
    let folder = URL(fileURLWithPath: root).resolvingSymlinksInPath().appendingPathComponent(
      "tandem-campaign-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    content.withLock { $0.folder = folder }
    signal(SIGPIPE, SIG_IGN)
    let numbers = [SIGINT, SIGTERM, SIGHUP]
    let handlers = numbers.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [self] in
        end()
        exit(128 + number)
      }
      source.resume()
      return source
    }
    let kept = Sources(all: handlers)
    sources.withLock { $0 = kept }
  }

  /// An empty folder below the campaign's own.
  func makeFolder(_ name: String) throws -> URL {
    guard let folder = content.withLock({ $0.folder }) else { throw Trouble("the campaign has no folder yet") }
    let made = folder.appendingPathComponent("\(name)-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
    return made
  }

  /// Lends an empty folder, which goes afterwards.
  func withFolder<Result>(_ name: String, _ body: (URL) throws -> Result) throws -> Result {
    let folder = try makeFolder(name)
    let outcome = Swift.Result { try body(folder) }
    if !isEnding { try FileManager.default.removeItem(at: folder) }
    return try outcome.get()
  }

  func add(_ process: pid_t) {
    let isLate = content.withLock {
      $0.processes.insert(process)
      return $0.isEnding
    }
    if isLate { kill(process, SIGKILL) }
  }

  func remove(_ process: pid_t) { content.withLock { _ = $0.processes.remove(process) } }

  func mounted(_ path: String) { content.withLock { $0.mounts.append(path) } }
  func unmounted(_ path: String) { content.withLock { $0.mounts.removeAll { $0 == path } } }

  /// Ends all processes, takes off what was mounted and removes the folder. Harmless a second time.
  func end() {
    let (processes, mounts, folder) = content.withLock { content in
      content.isEnding = true
      defer { (content.mounts, content.folder) = ([], nil) }
      return (content.processes, content.mounts, content.folder)
    }
    for process in processes { kill(process, SIGKILL) }
    for mount in mounts.reversed() { umount2(mount, Int32(MNT_DETACH)) }
    guard let folder else { return }
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      Progress.say("the folder \(folder.path) could not be removed: \(error)")
    }
  }
}
