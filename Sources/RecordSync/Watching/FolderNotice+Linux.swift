import Dispatch
import Foundation
import Synchronization

/// Hears that another tool has put something into folders. Safe to use from any thread.
///
/// A hint: nothing is heard of files that another machine writes to a network file system, or where the system's limit
/// of watches is reached. The watch looks from time to time, too.
final class FolderNotice: Sendable {
  #if os(Linux)
    private static let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ONLYDIR)

    private let queue: Int32
    private let source: Mutex<any DispatchSourceRead>
    /// The folders that are watched, by path, and their numbers.
    private let watched = Mutex<[String: Int32]>([:])

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

    /// Watches these folders, as far as they are there, and no others. True if one of them was not watched before.
    func watch(_ folders: [URL]) -> Bool {
      let paths = Set(folders.map(\.path))
      return watched.withLock { watched in
        var isNew = false
        for (path, number) in watched where !paths.contains(path) {
          inotify_rm_watch(queue, number)
          watched[path] = nil
        }
        for path in paths where watched[path] == nil {
          let number = inotify_add_watch(queue, path, Self.mask)
          guard number >= 0 else { continue }
          watched[path] = number
          isNew = true
        }
        return isNew
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
          if event.hasEnded { watched.withLock { $0 = $0.filter { $0.value != event.number } } }
          isNews = isNews || event.isNews
        }
      }
    }
  #else
    init?(_ heard: @escaping @Sendable () -> Void) { return nil }
    func watch(_ folders: [URL]) -> Bool { false }
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
