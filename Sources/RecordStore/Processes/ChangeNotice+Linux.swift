import Foundation
import Synchronization

/// Waits until a file may have changed. A hint: it may return for no reason.
protocol FileChangeSignal: Sendable {
  /// Forgets what came, calls of ``wake()`` included: the next wait is for what comes from here on.
  func arm()
  /// Returns after a change, after ``wake()``, or when the time is up; at once if one of them came since ``arm()``.
  func wait(timeoutSeconds: Double)
  /// Ends the wait that runs now, or the next.
  func wake()
}

/// A pipe that ends a wait: what is written stays until it is read.
private final class WakePipe: Sendable {
  let reader: Int32
  private let writer: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw StoreError(systemError: errno, doing: "make a pipe", path: "this process") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (reader, writer) = (ends[0], ends[1])
  }

  deinit {
    close(reader)
    close(writer)
  }

  /// A full pipe wakes as well.
  func wake() { _ = write(writer, [1 as UInt8], 1) }

  func drain() { discardInput(reader) }
}

/// Reads a descriptor that does not block until nothing is left.
private func discardInput(_ descriptor: Int32) {
  var bytes = [UInt8](repeating: 0, count: 4096)
  while read(descriptor, &bytes, bytes.count) > 0 {}
}

/// Sleeps until one of the descriptors has input.
private func waitForInput(_ descriptors: [Int32], timeoutSeconds: Double) {
  var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
  _ = poll(&polled, nfds_t(polled.count), Int32(timeoutSeconds * 1000))
}

#if os(Linux)
  func makeFileChangeSignal(path: String) throws -> any FileChangeSignal { try InotifySignal(path: path) }

  /// inotify on the file for writes, and on its folder for a file that comes or is replaced. Never on the data file:
  /// 18 % of those wake-ups came before the commit could be seen (measured).
  private final class InotifySignal: FileChangeSignal {
    private let path: String
    private let queue: Int32
    private let pipe: WakePipe

    init(path: String) throws {
      self.path = path
      pipe = try WakePipe()
      queue = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
      if queue < 0 { throw StoreError(systemError: errno, doing: "watch", path: path) }
      let folder = (path as NSString).deletingLastPathComponent
      // Without the watch (a system limit), the timeout of `wait` finds the change.
      _ = inotify_add_watch(queue, folder, UInt32(IN_CREATE | IN_MOVED_TO | IN_ONLYDIR))
    }

    deinit { close(queue) }

    func arm() {
      discardInput(queue)
      pipe.drain()
      // Adding a watch that is there changes nothing; on a new file of that name it is a new watch.
      _ = inotify_add_watch(queue, path, UInt32(IN_MODIFY | IN_CLOSE_WRITE))
    }

    func wait(timeoutSeconds: Double) { waitForInput([queue, pipe.reader], timeoutSeconds: timeoutSeconds) }

    func wake() { pipe.wake() }
  }
#else
  func makeFileChangeSignal(path: String) throws -> any FileChangeSignal { try KernelQueueSignal(path: path) }

  /// kqueue's vnode filter on the file; opened anew after each event, because the file may have been replaced.
  private final class KernelQueueSignal: FileChangeSignal {
    private let path: String
    private let queue: Int32
    private let pipe: WakePipe
    /// The file that is watched; -1 while there is none.
    private let file = Mutex<Int32>(-1)

    init(path: String) throws {
      self.path = path
      pipe = try WakePipe()
      queue = kqueue()
      if queue < 0 { throw StoreError(systemError: errno, doing: "watch", path: path) }
    }

    deinit {
      file.withLock { if $0 >= 0 { close($0) } }
      close(queue)
    }

    func arm() {
      pipe.drain()
      file.withLock { file in
        // Its events go with it.
        if file >= 0 { close(file) }
        file = open(path, O_EVTONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        var event = kevent(
          ident: UInt(file), filter: Int16(EVFILT_VNODE), flags: UInt16(EV_ADD | EV_CLEAR),
          fflags: UInt32(NOTE_WRITE | NOTE_DELETE | NOTE_RENAME), data: 0, udata: nil)
        _ = kevent(queue, &event, 1, nil, 0, nil)
      }
    }

    func wait(timeoutSeconds: Double) { waitForInput([queue, pipe.reader], timeoutSeconds: timeoutSeconds) }

    func wake() { pipe.wake() }
  }
#endif
