import Testing

@testable import RecordStore

struct SideWorkTests {
  private final class Token: Sendable {}

  /// It kept a copy of a large save's history until the commit was done.
  @Test func `nothing is kept of a value that was taken`() {
    let work = SideWork { Token() }
    weak var kept: Token?
    do {
      let taken = work.value()
      kept = taken
      #expect(kept != nil)
      withExtendedLifetime(taken) {}
    }
    #expect(kept == nil)
    withExtendedLifetime(work) {}
  }
}
