import Foundation

#if os(Linux)
  /// `F_OFD_SETLK` of <fcntl.h>, which Swift does not import because it is reserved for `_GNU_SOURCE`.
  let openFileDescriptionSetLock: Int32 = 37
#else
  let openFileDescriptionSetLock: Int32 = F_OFD_SETLK
#endif
