// What the Chinese words of the translation model mean, for readers who do not read Chinese.

export const texts = {
  glosses:
    '自动=autonomous 驾驶=driving 的=who 她=she 他=he 新=new 旧=old 红=red 大=big 好=good 贵=expensive 简单=simple 购买=buys 出售=sells ' +
    '使用=uses 看见=sees 测试=tests 建造=builds 想要=wants 喜欢=likes 需要=needs 展示=shows 今天=today 今晚=tonight 明天=tomorrow 现在=now ' +
    '再次=again 在=in 靠近=near 从=from 北京=Beijing 上海=Shanghai 公园=park 办公室=office 车站=station 学校=school 汽车=car 自行车=bicycle ' +
    '书=book 地图=map 票=ticket 机器人=robot 系统=system 老师=teacher 学生=student 工程师=engineer 医生=doctor 公司=company 解决=solve ' +
    '方案=plan 一辆=a 这辆=this 两辆=two 一本=a 这本=this 两本=two 一张=a 这张=this 两张=two 一个=a 这个=this 两个=two 一套=a 这套=this 两套=two ' +
    '一家=a 这家=this 两家=two',
}
