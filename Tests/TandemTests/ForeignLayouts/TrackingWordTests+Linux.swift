import CThreads
import ForeignLayouts
import Foundation
import Observation
import Testing

@testable import Tandem

/// Where Observation keeps what is tracked: known on Linux, by looking. If a later Observation keeps it otherwise,
/// these fail, and reads go on by the slower way.
struct TrackingWordTests {
  @Test(.enabled(if: ForeignLayout.observation.isOn))
  func `the word is found`() { #expect(TrackingWord.found != nil) }

  @Test(.enabled(if: ForeignLayout.observation.isOn))
  func `it is set just inside of tracking, of an inner one too, and on this thread alone`() throws {
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

  @Test func `the self-test passes for the word alone`() async {
    // In a process of its own: another thread's tracking would let the slower way say yes outside, too.
    await #expect(processExitsWith: .success) {
      unsetenv("TANDEM_FOREIGN_LAYOUTS")
      let word = try #require(TrackingWord.found)
      #expect(TrackingWord.agrees { word.isSet })
      #expect(!TrackingWord.agrees { false })
      #expect(!TrackingWord.agrees { true })
      #expect(!TrackingWord.agrees { !word.isSet })
      let words = TrackingWord.words
      #expect(words.count > 0)
      let right = (0..<words.count).filter { index in
        TrackingWord.agrees { TrackingWord(file: words.file, index: index).isSet }
      }
      #expect(right.count == 1)
    }
  }

  @Test func `without the word objects tell Observation of the same reads`() async {
    await #expect(processExitsWith: .success) {
      ForeignLayout.observation.settle(false)
      #expect(TrackingWord.found == nil)
      let trip = Trip(code: "a")
      #expect(trip.name.isEmpty && !ObservationProbe.isTracking)
      let changes = Told()
      withObservationTracking {
        #expect(ObservationProbe.isTracking)
        _ = trip.name
      } onChange: {
        changes.note()
      }
      trip.code = "b"
      #expect(changes.count == 0)
      trip.name = "b"
      #expect(changes.count == 1)
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
