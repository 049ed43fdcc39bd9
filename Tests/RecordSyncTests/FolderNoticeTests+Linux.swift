#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import RecordSync

  /// Which folders a watch hears of.
  struct FolderNoticeTests {
    @Test func `a folder is new to what hears of it once`() throws {
      let folder = try TemporaryFolder()
      let notice = try #require(FolderNotice {})
      for _ in 0..<2 {
        #expect(notice.watch([folder.url]).isNew)
        #expect(!notice.watch([folder.url]).isNew)
        #expect(!notice.watch([]).isNew)
      }
    }

    /// A watch stays with the folder that was moved away: nothing was heard of the one in its place.
    @Test func `a folder in the place of one that was moved away is heard of`() throws {
      let folder = try TemporaryFolder()
      let place = folder.url.appending(path: "place")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
      let notice = try #require(FolderNotice {})
      #expect(notice.watch([place]).isNew)
      try FileManager.default.moveItem(at: place, to: folder.url.appending(path: "away"))
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
      #expect(notice.watch([place]).isNew)
      #expect(!notice.watch([place]).isNew)
    }

    /// The folder was looked at every half minute, as one of whose files the system tells.
    @Test func `a folder that the system refuses to watch is known, and one that is not there is none`() throws {
      let folder = try TemporaryFolder()
      let notice = try #require(FolderNotice {})
      let watcher: @Sendable (FileCall, String) -> Int32? = { call, _ in call == .watch ? ENOSPC : nil }
      let refused = FileCall.$watcher.withValue(watcher) { notice.watch([folder.url]) }
      #expect(refused == FolderNotice.Hearing(isNew: false, isWhole: false))
      let missing = folder.url.appending(path: "missing")
      #expect(notice.watch([folder.url, missing]) == FolderNotice.Hearing(isNew: true, isWhole: true))
    }
  }
#endif
