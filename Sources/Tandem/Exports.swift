// A file that imports Tandem (or, on Linux, SwiftData) sees dates, predicates and observation too, as with SwiftData.
@_exported public import Foundation
@_exported public import Observation

// `SwiftDataError` is this type, and code that catches it reads its code and message.
@_exported public import struct RecordStore.StoreError
