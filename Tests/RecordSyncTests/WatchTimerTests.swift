import Testing

@testable import RecordSync

/// When the runs of a watch are due.
struct WatchTimerTests {
  private let timer = WatchTimer()

  @Test func `a run that is due begins once`() async throws {
    var runs = timer.runs.makeAsyncIterator()
    timer.ring(within: .zero)
    try #require(await runs.next() != nil)
    #expect(timer.begin(rest: .zero))
    #expect(!timer.begin(rest: .zero))
    timer.ring(within: .zero)
    try #require(await runs.next() != nil)
    #expect(timer.begin(rest: .zero))
  }

  /// A save during a run that failed had the next one begin at once: a trouble that lasts was tried without a rest.
  @Test func `a run that was due before a wait was set does not begin before the wait is over`() async throws {
    var runs = timer.runs.makeAsyncIterator()
    timer.ring(within: .zero)
    try #require(await runs.next() != nil)
    timer.hold(for: .seconds(3_600))
    #expect(!timer.begin(rest: .zero))
  }
}
