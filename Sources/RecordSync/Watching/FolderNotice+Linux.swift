import Dispatch
import Foundation
import Synchronization

/// Hears that another tool has put something into folders. Safe to use from any thread.
///
/// A hint: nothing is heard of files that another machine writes to a network file system, or where the system's limit
/// of watches is reached. The watch looks from time to time, too.
final class FolderNotice: Sendable {
  /// The outcome of a wish to hear of folders.
  struct Hearing: Hashable {
    /// Whether one of them was not watched before.
    var isNew = false
    /// False where the system refuses to watch one of them, such as one more than its limit.
    var isWhole = true
  }

  #if os(Linux)
    private static let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ONLYDIR)

    private let queue: Int32
    private let source: Mutex<any DispatchSourceRead>
    /// The numbers of the folders that are watched.
    private let watched = Mutex<Set<Int32>>([])

    /// Nil where the system gives out no more of them. `heard` is called on a queue of its own.
    init?(_ heard: @escaping @Sendable () -> Void) {
      queue = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
      guard queue >= 0 else { return nil }
      let source = DispatchSource.makeReadSource(
        fileDescriptor: queue, queue: DispatchQueue(label: "tandem.folder-notice"))
      source.setCancelHandler { [queue] in close(queue) }
      self.source = Mutex(source)
      start { [weak self] in if self?.read() ?? false { heard() } }
    }

    private func start(_ handler: @escaping @Sendable () -> Void) {
      source.withLock { source in
        source.setEventHandler(handler: handler)
        source.resume()
      }
    }

    deinit { source.withLock { $0.cancel() } }

    /// Watches these folders, as far as they are there, and no others.
    ///
    /// Each is named to the system again, which knows a folder by itself and not by its path: another one may lie there
    /// by now.
    func watch(_ folders: [URL]) -> Hearing {
      watched.withLock { watched in
        var hearing = Hearing()
        var present: Set<Int32> = []
        for path in Set(folders.map(\.path)) {
          let isRefused = FileCall.watch.fails(at: path)
          let number = isRefused ? -1 : inotify_add_watch(queue, path, Self.mask)
          if number >= 0 {
            present.insert(number)
          } else if ![ENOENT, ENOTDIR].contains(errno) {
            hearing.isWhole = false
          }
        }
        for number in watched.subtracting(present) { inotify_rm_watch(queue, number) }
        hearing.isNew = !present.isSubset(of: watched)
        watched = present
        return hearing
      }
    }

    /// Whether what has come may be of interest: files that are complete, and new folders.
    private func read() -> Bool {
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      var isNews = false
      while true {
        let count = Glibc.read(queue, &bytes, bytes.count)
        guard count > 0 else { return isNews }
        var rest = bytes[..<count]
        while let event = NoticeEvent(&rest) {
          if event.hasEnded { watched.withLock { _ = $0.remove(event.number) } }
          isNews = isNews || event.isNews
        }
      }
    }
  #else
    init?(_ heard: @escaping @Sendable () -> Void) { return nil }
    func watch(_ folders: [URL]) -> Hearing { Hearing() }
  #endif
}

#if os(Linux)
  /// An event of inotify (man 7 inotify): number of the watch (4 bytes), mask (4), cookie (4), length of the name (4),
  /// the name with zeros at its end.
  private struct NoticeEvent {
    let number: Int32
    let mask: Int
    let name: [UInt8]

    init?(_ bytes: inout ArraySlice<UInt8>) {
      func integer(_ offset: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[bytes.startIndex + offset + $1]) << (8 * UInt32($1)) }
      }
      guard bytes.count >= 16, bytes.count >= 16 + Int(integer(12)) else { return nil }
      (number, mask) = (Int32(bitPattern: integer(0)), Int(integer(4)))
      let length = Int(integer(12))
      name = Array(bytes.dropFirst(16).prefix(length).prefix { $0 != 0 })
      bytes = bytes.dropFirst(16 + length)
    }

    /// The folder is not watched any more: it went, or its file system did.
    var hasEnded: Bool { mask & Int(IN_IGNORED) != 0 }

    /// Tools write under names that begin with a dot, and of new files only the end of their writing is of interest.
    var isNews: Bool {
      if mask & Int(IN_Q_OVERFLOW | IN_UNMOUNT) != 0 { return true }
      guard !name.isEmpty, name.first != UInt8(ascii: ".") else { return false }
      return mask & Int(IN_MOVED_TO | IN_CLOSE_WRITE) != 0 || mask & Int(IN_ISDIR) != 0
    }
  }
#endif
