-- Clicks of a user that are less than 30 seconds apart.
CREATE STREAMING TABLE visits AS
SELECT user, window.start, window.end, clicks
FROM session_windows(
  TABLE(SELECT * FROM STREAM clicks WATERMARK ts DELAY OF INTERVAL 10 SECONDS),
  'user', 'ts', '30 seconds', 'count(*) AS clicks'
);
