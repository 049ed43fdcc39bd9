import CPeers
import Foundation
import LMDB

/// What the device takes for small durable saves, before a store has computed anything.
final class DeviceLimit {
  private let limit: OpaquePointer

  init(_ folder: URL) throws {
    guard let limit = device_limit_create(folder.path) else {
      throw BenchmarkError("the files for what the device takes cannot be made")
    }
    self.limit = limit
  }

  deinit { device_limit_close(limit) }

  /// Seconds for so many commits of so many pages, as LMDB brings them to the device. `grows`: each of them makes the
  /// file longer.
  func commit(_ written: PageCensus.Average, grows: Bool = false, saves: Int) -> Double {
    let pages = Int32(written.pages.rounded())
    return device_limit_commit(limit, pages, min(pages, Int32(written.ranges.rounded())), grows ? 1 : 0, Int32(saves))
  }

  /// Seconds for so many saves of so many pages each, as SQLite appends them to its log.
  func append(frames: Int, saves: Int) -> Double { device_limit_append(limit, Int32(frames), Int32(saves)) }
}

extension PageCensus.Average {
  /// As many pages side by side, and the meta page, which goes alone.
  var inOneStretch: PageCensus.Average { PageCensus.Average(pages: pages, ranges: 2, pagesByTree: pagesByTree) }
}
