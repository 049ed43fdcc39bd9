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
        #expect(notice.watch([folder.url]))
        #expect(!notice.watch([folder.url]))
        #expect(!notice.watch([]))
      }
    }
  }
#endif
