/// The texts of the programs by what they say. `Localizable.<language>.json` has each of them in each language.
package enum MessageKey: String, CaseIterable, Sendable {
  // Sentences that other sentences are made of.
  case verbatim, labelled, listed, position, item

  // Values that are not allowed.
  case notAnAmount, notAnAmountOfThree, amountOutside, notACurrency, notAFrequency, notACategory, notADay, notAName
  case notAnID, notABillingDay, notATime, pauseEndsEarly, nothingToEdit, daysOutside, limitOutside, everyOutside
  case timeLimitOutside, oneFormAtATime

  // Troubles with files and lists.
  case unknownKindOfFile, listTooLarge, cannotRead, notUTF8, twoSeparators, quoteInside, textAfterQuote
  case quoteNeverClosed, emptyList, noSuchColumn, columnTwice, columnMissing, idInLineAlready, idInItemAlready
  case tooManyFields, lineEndsEarly, jsonDoesNotParse, memberMissing, noteUnreadable, noteUnwritable, cannotPrint
  case cannotWritePicture

  // Subscriptions and devices that are not there.
  case noSubscriptionsYet, noDevice, noSuchSubscription, ambiguousName, idTaken, nothingToUndo, nothingDue
  case paidAlready, noChargeThatDay, reminderNotStarted, reminderTooSlow, reminderRefused

  // Rhythms, payers, states.
  case weekly, fourWeekly, monthly, twoMonthly, quarterly, halfYearly, yearly, professional, personal, stateEnding
  case stateTrial, statePaused, statePausedUntil, stateEnded

  // Days.
  case today, tomorrow, yesterday, inDays, daysAgo

  // Titles of columns and lines.
  case columnID, columnName, columnAmount, columnFrequency, columnNext, columnCategory, columnCurrency, columnCount
  case columnMonth, columnYear, columnState, columnDay, columnDistance, columnMonthName, columnCharges, rowNext
  case rowSince, rowPrice, rowPaid, total

  // Answers of commands.
  case added, changed, unchanged, deleted, paused, resumed, cancelled, nextOn, imported, paid, priceMore, priceLess
  case priceMoreFrom, priceLessFrom, priceSame, priceInOtherCurrency, undoRemoved, undoRestored, undoReverted
  case subscriptions, charges, chargesBetween, resting, reminder, told, toldSummary

  // The widget and the pictures.
  case widgetHeadline, widgetSummary, widgetSummaryEmpty, perMonthInAll, noChargeToCome, chartSummary, chartAverage
  case commit, commitBy, commitMerged, countAdded, countChanged, countDeleted, nothing, waiting, storeReplaced
}
