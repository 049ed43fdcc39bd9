import Foundation
import Observation
import Testing

@testable import Tandem

/// Where Observation keeps what is tracked: known on Linux, by looking. If a later Observation keeps it otherwise,
/// these fail, and reads go on by the slower way, which the last one is about.
struct TrackingWordTests {
  @Test func `the word is found`() { #expect(TrackingWord.found != nil) }

  @Test func `it is set just inside of tracking, of an inner one too, and on this thread alone`() throws {
    let word = try #require(TrackingWord.found)
    #expect(!word.isSet)
    withObservationTracking {
      #expect(word.isSet)
      withObservationTracking {
        #expect(word.isSet)
      } onChange: {
      }
      #expect(word.isSet)
      let other = OtherThread { word.isSet }
      #expect(!other.result)
    } onChange: {
    }
    #expect(!word.isSet)
    let tracking = OtherThread { withObservationTracking({ word.isSet }, onChange: {}) }
    #expect(tracking.result)
    #expect(!word.isSet)
  }

  @Test func `the way without it gives the same answers`() {
    withObservationTracking {
      #expect(ObservationProbe.isHashing)
    } onChange: {
    }
  }
}

/// What a question gives on a thread of its own.
// @unchecked: the result is written before the semaphore's signal and read after it.
private final class OtherThread: @unchecked Sendable {
  private(set) var result = false

  init(_ question: @escaping @Sendable () -> Bool) {
    let done = DispatchSemaphore(value: 0)
    Thread { [self] in
      result = question()
      done.signal()
    }.start()
    done.wait()
  }
}
