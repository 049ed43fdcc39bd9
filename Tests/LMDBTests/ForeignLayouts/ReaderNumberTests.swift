import CLMDB
import ForeignLayouts
import Testing

@testable import LMDB

/// The number under which LMDB knows a process, where it is kept.
struct ReaderNumberTests {
  @Test func `the self-test passes where the fields are, and fails elsewhere`() {
    #expect(ReaderNumber.agrees(ReaderNumber.fields))
    for shift in [-2, -1, 1, 2, 3] {
      #expect(!ReaderNumber.agrees { ReaderNumber.fields($0) + shift }, "\(shift)")
    }
  }

  @Test func `without the bet a process keeps the number that LMDB gave it`() async {
    await #expect(processExitsWith: .success) {
      unsetenv("TANDEM_FOREIGN_LAYOUTS")
      func create() throws -> OpaquePointer {
        var environment: OpaquePointer?
        try check(mdb_env_create(&environment), "create an environment")
        return try #require(environment)
      }
      let environment = try create()
      defer { mdb_env_close(environment) }
      let own = ReaderNumber.fields(environment)[10]
      #expect(own == getpid())
      ForeignLayout.readers.settle(false)
      #expect(!ReaderNumber.isKnown)
      #expect(try !ReaderNumber.draw(environment))
      #expect(ReaderNumber.fields(environment)[10] == own)
    }
  }
}
